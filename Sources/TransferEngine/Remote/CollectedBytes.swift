internal import TransferModel

/// Takes what comes into memory, up to a limit.
final class CollectedBytes: BodySink {
    private(set) var bytes: [UInt8] = []
    private let longest: Int
    private let what: String

    /// `what` is said of something longer: "the list of DIRECTORY".
    init(atMost longest: Int, _ what: String) {
        self.longest = longest
        self.what = what
    }

    /// Forgets what came so far.
    func clear() { bytes = [] }

    func write(_ content: UnsafeRawBufferPointer) -> WriteAnswer {
        guard bytes.count + content.count <= longest else {
            return .fail(Failure(.permanent, text: "\(what) is longer than \(longest >> 20) MiB"))
        }
        bytes += content
        return .taken
    }
}
