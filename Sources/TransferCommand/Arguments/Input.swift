internal import TransferModel

/// Where the bytes of a source come from.
enum Input: Hashable, Sendable {
    case standardInput
    case file(FilePath)

    /// `-` is standard input.
    init(_ bytes: some Sequence<UInt8>) throws(CommandError) {
        let bytes = Array(bytes)
        if bytes == [UInt8(ascii: "-")] {
            self = .standardInput
        } else {
            guard let path = FilePath(bytes: bytes) else { throw .usage("a file name is empty") }
            self = .file(path)
        }
    }

    /// As it is named in a message.
    var display: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): "'\(Shown.bytes(path.bytes))'"
        }
    }
}
