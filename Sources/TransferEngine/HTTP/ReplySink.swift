internal import TransferModel

/// Keeps the beginning of an answer's body, and leads all of it into a file where there is one for it.
final class ReplySink: BodySink {
    private(set) var kept: [UInt8] = []
    private var dropped = 0
    private var file: DownloadBody?

    /// What is looked at to tell whether an answer means success, in bytes.
    static let longestKept = 1 << 20

    /// More than any answer has that nobody wants as a file; a server that sends on for ever is not listened to for ever.
    static let longestAnswer = 64 * 1024 * 1024

    init(into file: DownloadBody? = nil) { self.file = file }

    /// Whether all that came is kept.
    var isWhole: Bool { dropped == 0 }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        if let file {
            switch file.write(bytes) {
            case .taken: break
            case .wait: return .wait
            // The answer is more than its file: it is read to its end all the same.
            case .enough, .fail: self.file = nil
            }
        }
        let room = Self.longestKept - kept.count
        kept += bytes.prefix(room)
        dropped += max(0, bytes.count - room)
        guard dropped < Self.longestAnswer || file != nil else {
            return .fail(Failure(.temporary, text: "the server's answer has no end"))
        }
        return .taken
    }
}
