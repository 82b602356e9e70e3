internal import TransferModel

/// The bytes of an upload, from its ring, with the progress of the job kept as libcurl takes them.
final class UploadBody: StreamedBody {
    private let buffers: FixedBuffers
    private let progress: Progress
    private var offset: Int64
    /// Whether the server has asked for the body: from then on what stood under the name is gone.
    private(set) var hasBegun = false

    init(_ buffers: FixedBuffers, from offset: Int64, progress: Progress) {
        self.buffers = buffers
        self.progress = progress
        self.offset = offset
    }

    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer {
        hasBegun = true
        let answer = buffers.read(into: space)
        if case .bytes(let count) = answer {
            offset += Int64(count)
            progress.advance(to: ByteCount(rawValue: offset))
        }
        return answer
    }

    func onContent(_ action: @escaping @Sendable () -> Void) { buffers.onContent(action) }
}
