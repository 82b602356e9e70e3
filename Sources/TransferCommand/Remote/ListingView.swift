internal import FoundationEssentials
internal import TransferModel

/// The result of `ls` for a person, or as JSON for a script.
struct ListingView {
    let output: Output
    let view: ResultView

    /// Sorted by name but for JSON, which has the server's order; lines that the server's list had and nobody could read
    /// are told on standard error.
    func show(_ file: borrowing ResultFile) throws {
        var entries: [ListedName.Entry] = []
        try file.lines { line in
            guard let name = try? JSONDecoder().decode(ListedName.self, from: Data(line)) else { return }
            if view.json {
                output.line(Self.json(name).text)
            } else if let entry = name.entry {
                entries.append(entry)
            }
            if let unreadable = name.unreadable, !view.json {
                Complaint.write("a line of the list could not be read: \(Shown.text(unreadable))")
            }
        }
        let sorted = entries.map { (EscapedText.unescape($0.name) ?? Array($0.name.utf8), $0) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }
        if view.isLong {
            for line in LongListing(sorted.map(\.1)).lines { output.line(line) }
        } else {
            for (bytes, entry) in sorted { write(bytes, entry.name) }
        }
    }

    /// To a terminal escaped, elsewhere as it is.
    private func write(_ bytes: [UInt8], _ escaped: String) {
        if output.isTerminal {
            output.line(Shown.text(escaped))
        } else {
            (bytes + [0x0a]).withUnsafeBytes { output.write($0) }
        }
    }

    private static func json(_ name: ListedName) -> JSONValue {
        guard let entry = name.entry else { return JSONValue(["unreadable": JSONValue(name.unreadable)]) }
        return JSONValue([
            "name": .text(entry.name), "type": .text(entry.type.rawValue),
            "size": entry.size.map { .number($0) } ?? .null, "modified": JSONValue(entry.modified),
            "permissions": JSONValue(entry.permissions), "owner": JSONValue(entry.owner),
            "group": JSONValue(entry.group), "target": JSONValue(entry.target),
        ])
    }
}
