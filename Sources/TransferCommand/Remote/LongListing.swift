internal import TransferModel

/// Names with all that the server says of them, in columns; what it does not say is a dash.
struct LongListing {
    private let entries: [ListedName.Entry]

    init(_ entries: [ListedName.Entry]) { self.entries = entries }

    var lines: [String] {
        let rows = entries.map { entry in
            [
                Self.mode(entry), Shown.text(entry.owner ?? "-"), Shown.text(entry.group ?? "-"),
                entry.size.map { "\($0)" } ?? "-", entry.modified.map(Self.time) ?? "-", Self.name(entry),
            ]
        }
        let widths = (0..<5).map { column in rows.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
        return rows.map { row in
            let columns = widths.indices.map { index in
                let blanks = String(
                    repeating: " ", count: max(0, widths[index] - DisplayWidth.of(row[index])))
                return index == 3 ? blanks + row[index] : row[index] + blanks
            }
            return columns.joined(separator: "  ") + "  " + row[5]
        }
    }

    /// `drwxr-xr-x`
    private static func mode(_ entry: ListedName.Entry) -> String {
        let type =
            switch entry.type {
            case .file: "-"
            case .directory: "d"
            case .link: "l"
            case .other: "?"
            }
        guard let bits = entry.permissions.flatMap({ UInt16($0, radix: 8) }) else {
            return type + String(repeating: "?", count: 9)
        }
        let letters = (0..<9).map { index in
            let isSet = bits & 0o400 >> index != 0
            let isSpecial = index % 3 == 2 && bits & 0o4000 >> (index / 3) != 0
            if isSpecial { return index == 8 ? (isSet ? "t" : "T") : (isSet ? "s" : "S") }
            return isSet ? ["r", "w", "x"][index % 3] : "-"
        }
        return type + letters.joined()
    }

    /// `2031-05-28 14:30:05`
    private static func time(_ text: String) -> String {
        let text = Shown.text(text)
        return text.utf8.count < 19 ? text : "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    private static func name(_ entry: ListedName.Entry) -> String {
        Shown.text(entry.name) + (entry.target.map { " -> " + Shown.text($0) } ?? "")
    }
}
