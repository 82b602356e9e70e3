internal import Glibc
internal import TransferModel

/// Produces the bytes of a form's body in order, from its layout and its open files, buffer by buffer.
///
/// Of each file exactly the announced bytes are read. A file that turns out shorter, or that is another one or has
/// another size or time once it is read, ends the attempt before the body's last bytes are given out.
struct FormBodyReader {
    /// A file of the form, open, as it was when its length was announced.
    struct Source: Sendable {
        let file: OpenFile
        let identity: FileIdentity
        let name: FileName
    }

    let body: FormBody
    private let sources: [Source]
    private var segment = 0
    /// How much of the segment, or of the closing delimiter behind the last one, was given out.
    private var offset: Int64 = 0
    /// Whether the last byte was given out.
    private(set) var isFinished = false

    init(body: FormBody, sources: [Source]) {
        self.body = body
        self.sources = sources
    }

    /// Fills `buffer` with the next bytes and returns how many; 0 at the end.
    ///
    /// The buffer that makes ``isFinished`` true holds the whole closing delimiter, for which `buffer` must have room.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        var count = 0
        while segment < body.segments.count, count < buffer.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            count += try readSegment(into: room)
        }
        guard segment == body.segments.count, !isFinished, buffer.count - count >= body.closing.count else {
            return count
        }
        for source in sources { try verify(source) }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: body.closing)
        isFinished = true
        return count + body.closing.count
    }

    private mutating func readSegment(into room: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        let current = body.segments[segment]
        let wanted = Int(min(Int64(room.count), current.length - offset))
        let count: Int
        switch current {
        case .bytes(let bytes):
            room.copyBytes(from: bytes[Int(offset)..<Int(offset) + wanted])
            count = wanted
        case .file(let index, _):
            let target = UnsafeMutableRawBufferPointer(rebasing: room[..<wanted])
            count = try readFile(sources[index], into: target)
        }
        offset += Int64(count)
        if offset == current.length {
            segment += 1
            offset = 0
        }
        return count
    }

    private func readFile(_ source: Source, into target: UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    {
        guard !target.isEmpty else { return 0 }
        while true {
            let count = pread(source.file.descriptor, target.baseAddress, target.count, off_t(offset))
            if count > 0 { return count }
            if count == 0 { throw changed(source) }
            if errno != EINTR { throw Failure.system("cannot read '\(source.name)'") }
        }
    }

    private func verify(_ source: Source) throws(Failure) {
        guard let status = source.file.status(), FileIdentity(status) == source.identity else {
            throw changed(source)
        }
    }

    private func changed(_ source: Source) -> Failure {
        Failure(.temporary, text: "'\(source.name)' was changed while it was being sent")
    }
}

extension FileIdentity {
    init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: ByteCount(Int(status.st_size)),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }
}
