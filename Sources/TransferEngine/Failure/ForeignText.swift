internal import TransferModel

/// Text that a server or a library chose, made safe to log, store and show: escaped, and cut.
enum ForeignText {
    static let longest = 500

    static func clean(_ bytes: some Sequence<UInt8>) -> String {
        let kept = Array(bytes.prefix(longest + 1))
        let text = EscapedText.escape(kept.prefix(longest))
        return kept.count > longest ? text + " …" : text
    }
}
