internal import TransferModel

/// A range of an open source on its way into a ring of its own; reading ends with the value.
final class SourceFeed: Sendable {
    let buffers: FixedBuffers

    /// Begins to read at once, on `disk`.
    init(_ file: OpenFile, identity: FileIdentity, range: Range<Int64>, on disk: DiskQueue) {
        buffers = FixedBuffers.holding(Int64(range.count))
        SourceReader(file, identity: identity, range: range, into: buffers, on: disk).start()
    }

    deinit { end() }

    /// Nothing more is read or delivered.
    func end() { buffers.cancel() }
}
