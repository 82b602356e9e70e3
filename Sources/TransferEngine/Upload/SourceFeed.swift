internal import TransferModel

/// A range of an open source on its way into a ring of its own; reading ends with the value.
final class SourceFeed: Sendable {
    let buffers: FixedBuffers
    /// Checksums of what is read, for a feed of the whole file.
    let digests: SourceDigests?

    /// Begins to read at once, on `disk`.
    init(
        _ file: OpenFile, identity: FileIdentity, range: Range<Int64>, on disk: DiskQueue,
        digests: SourceDigests? = nil
    ) {
        self.digests = digests
        buffers = FixedBuffers.holding(Int64(range.count))
        SourceReader(file, identity: identity, range: range, into: buffers, on: disk, digests: digests)
            .start()
    }

    /// Of a source that was read already.
    init(_ source: HotSource) {
        digests = nil
        buffers = source.buffers
    }

    deinit { end() }

    /// Nothing more is read or delivered.
    func end() { buffers.cancel() }
}
