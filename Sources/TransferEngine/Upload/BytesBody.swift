/// Bytes as the body of an upload.
final class BytesBody: StreamedBody {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer {
        guard !rest.isEmpty else { return .end }
        let piece = rest.prefix(space.count)
        space.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return .bytes(piece.count)
    }

    func onContent(_ action: @escaping @Sendable () -> Void) {}
}
