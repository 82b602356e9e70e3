internal import Glibc
internal import TransferModel

/// Produces the bytes of a form's body in order, from its layout and its open files.
///
/// Of each file exactly the announced bytes are read. The closing delimiter, without which no server has the form, comes
/// only after ``seal()``; a file that turned out shorter, or that is not what it was, never gets that far.
struct FormBodyReader: Sendable {
    /// A file of the form, open, as it was when its length was announced.
    struct Source: Sendable {
        let file: OpenFile
        let identity: FileIdentity
        /// What the form says of its content; compared with what was sent before the form can be whole.
        var sha256: String? {
            didSet { sent = sha256.flatMap { _ in SourceDigests([.sha256]) } }
        }
        private(set) var sent: SourceDigests?

        init(file: OpenFile, identity: FileIdentity) {
            self.file = file
            self.identity = identity
        }
    }

    let body: FormBody
    private let sources: [Source]
    private var segment = 0
    private var offset: Int64 = 0
    private var isSealed = false

    init(body: FormBody, sources: [Source]) {
        self.body = body
        self.sources = sources
        skipEmpty()
    }

    /// Whether everything but the closing delimiter was given out.
    var awaitsSeal: Bool { segment == body.segments.count && !isSealed }

    /// Whether the last byte was given out.
    var isFinished: Bool { isSealed && offset == body.closing.count }

    /// Fills `buffer` with the next bytes and returns how many; 0 at the end and while the seal is awaited.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        var count = 0
        while count < buffer.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let read = isSealed ? readClosing(into: room) : try readSegment(into: room)
            guard read > 0 else { break }
            count += read
        }
        return count
    }

    /// Whether every file still is what it was when the form's length was announced; once, when all of it was read.
    func verify() throws(Failure) {
        for source in sources {
            let found: FileIdentity
            do { found = try source.file.identity() } catch { throw error.failure }
            guard found == source.identity else { throw changed(source) }
            if let sent = source.sent, sent.finish()[.sha256] != source.sha256 { throw changed(source) }
        }
    }

    /// The rest may go out.
    mutating func seal() {
        precondition(awaitsSeal, "a body is sealed once, when only its closing delimiter is left")
        isSealed = true
        offset = 0
    }

    private mutating func readClosing(into room: UnsafeMutableRawBufferPointer) -> Int {
        let rest = body.closing[Int(offset)...].prefix(room.count)
        room.copyBytes(from: rest)
        offset += Int64(rest.count)
        return rest.count
    }

    private mutating func readSegment(into room: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        guard segment < body.segments.count else { return 0 }
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
            skipEmpty()
        }
        return count
    }

    /// Empty files have no byte to give out.
    private mutating func skipEmpty() {
        while segment < body.segments.count, body.segments[segment].length == 0 { segment += 1 }
    }

    private func readFile(_ source: Source, into target: UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    {
        while true {
            let count = pread(source.file.descriptor, target.baseAddress, target.count, off_t(offset))
            if count > 0 {
                source.sent?.update(UnsafeRawBufferPointer(rebasing: target[..<count]))
                return count
            }
            if count == 0 { throw changed(source) }
            if errno != EINTR { throw SystemError("read", source.file.path).failure }
        }
    }

    private func changed(_ source: Source) -> Failure {
        Failure(.temporary, text: "\(source.file.path) was changed while it was being sent")
    }
}
