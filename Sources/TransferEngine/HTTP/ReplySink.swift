internal import TransferModel

/// Keeps the beginning of an answer's body and drops the rest.
final class ReplySink: BodySink {
    private(set) var kept: [UInt8] = []
    private var dropped = 0

    /// More than any answer to a form has; a server that sends on for ever is not listened to for ever.
    static let longestAnswer = 64 * 1024 * 1024

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        let room = Reply.longestBody - kept.count
        kept += bytes.prefix(room)
        dropped += max(0, bytes.count - room)
        guard dropped < Self.longestAnswer else {
            return .fail(Failure(.temporary, text: "the server's answer has no end"))
        }
        return .taken
    }
}
