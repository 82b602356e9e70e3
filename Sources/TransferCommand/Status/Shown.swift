internal import TransferModel

/// Text that came from outside, safe on a terminal.
enum Shown {
    /// `text` with its control characters as `\xNN`, those above 0x7f too, which some terminals obey.
    ///
    /// Unlike ``EscapedText`` it leaves a backslash alone, so that text which is escaped already stays as it is.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { isControl($0) ? escape($0) : String($0) }.joined()
    }

    /// Bytes, for instance a name: as ``EscapedText`` writes them.
    static func bytes(_ bytes: some Sequence<UInt8>) -> String { text(EscapedText.escape(bytes)) }

    /// `count` of something, with its noun in the right number.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "\\x" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}
