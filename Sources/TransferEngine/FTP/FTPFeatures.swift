internal import TransferModel

/// Collects the lines of a reply to FEAT (RFC 2389, section 3.2) from those of the control connection.
struct FTPFeatures {
    private(set) var lines: [String] = []
    private var isOpen = false

    mutating func take(_ line: some Collection<UInt8>) {
        let text = EscapedText.escape(line.prefix(1_024).prefix { $0 != 0x0d && $0 != 0x0a })
        if text.hasPrefix("211-") {
            isOpen = true
        } else if text.hasPrefix("211 ") {
            isOpen = false
        } else if isOpen, lines.count < 256 {
            lines.append(text.trimmingBlanks())
        }
    }
}
