/// How many columns a text takes on a terminal.
enum DisplayWidth {
    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + columns($1) }
    }

    /// `text` in at most `width` columns; what is cut ends in `…`.
    static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        var kept = String.UnicodeScalarView()
        var used = 0
        for scalar in text.unicodeScalars {
            let columns = columns(scalar)
            guard used + columns < width else { break }
            used += columns
            kept.append(scalar)
        }
        return width > 0 ? String(kept) + "…" : ""
    }

    /// `text` with blanks up to `width`.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - of(text)))
    }

    /// Combining characters take none, those of East Asia and pictures two (Unicode Annex 11, in its large ranges).
    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
            return 2
        default: return 1
        }
    }
}
