internal import TransferModel

/// The bytes of an open file on their way into a sink, in order: reads go out without waiting for the answers of
/// earlier ones.
struct SFTPFetch {
    private let handle: [UInt8]
    private let connection: SFTPConnection
    private let sink: any BodySink
    private let doing: String
    /// The file's length; nil: the server says where it ends.
    private let end: Int64?
    private var window = SFTPWindow()
    /// The offset of the oldest read under way, and of the next one.
    private var offset: Int64
    private var next: Int64
    /// What the sink had no room for.
    private var held: ArraySlice<UInt8>?
    private var isAtEnd = false

    init(
        _ handle: [UInt8], from start: Int64, to end: Int64?, into sink: any BodySink,
        over connection: SFTPConnection, doing: String
    ) {
        self.handle = handle
        self.connection = connection
        self.sink = sink
        self.doing = doing
        self.end = end
        offset = start
        next = start
    }

    /// Returns when the sink has taken everything, which it tells ``Lane/resume()`` when it had no room.
    mutating func run(on lane: isolated Lane) async throws {
        do {
            while true {
                try deliver()
                if isThrough { break }
                ask()
                // What the sink has no room for stays with the server.
                if held == nil {
                    try await connection.turn(on: lane)
                } else {
                    try await connection.rest(on: lane)
                }
            }
        } catch let failure as Failure {
            connection.forget(window.requests.map(\.id))
            throw failure
        }
        connection.forget(window.requests.map(\.id))
    }

    private var isThrough: Bool { held == nil && (isAtEnd || offset == end) }

    private mutating func ask() {
        while !isAtEnd, window.hasRoom(for: connection.limits.read), next < end ?? .max {
            let count = Int(min(Int64(connection.limits.read), (end ?? .max) - next))
            window.add(connection.read(handle, next, count), count)
            next += Int64(count)
        }
    }

    private mutating func deliver() throws {
        while true {
            if let bytes = held {
                guard try give(bytes) else { return }
                held = nil
            }
            guard !isAtEnd, let oldest = window.requests.first, let answer = connection.take(oldest.id) else {
                return
            }
            window.removeOldest()
            try take(answer, of: oldest.count)
        }
    }

    /// Fewer bytes than were asked for are no sign of anything: the rest is asked for again.
    private mutating func take(_ answer: SFTPReply, of asked: Int) throws {
        if answer.message == .statusReply {
            let status = try answer.status
            guard status.code == SFTPStatus.endOfFile else { throw Failure(status, doing: doing) }
            if let end, offset < end {
                throw Failure(
                    .temporary,
                    text: "\(doing): the file ends after \(offset) of \(end) bytes; it may have changed")
            }
            isAtEnd = true
            return
        }
        var reader = try answer.reader(of: .data)
        let bytes = try reader.string()
        guard !bytes.isEmpty, bytes.count <= asked else { throw SFTPFormatError() }
        held = bytes
        offset += Int64(bytes.count)
        let rest = asked - bytes.count
        if rest > 0 { window.addOldest(connection.read(handle, offset, rest), rest) }
    }

    /// Whether the sink took them.
    private func give(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Bool {
        switch bytes.withUnsafeBytes({ sink.write($0) }) {
        case .taken, .enough: return true
        case .wait: return false
        case .fail(let failure): throw failure
        }
    }
}
