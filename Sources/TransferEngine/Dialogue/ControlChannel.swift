internal import CCurl
internal import TransferModel

/// An FTP control connection that libcurl keeps and does not use in this moment: commands out, replies in.
///
/// Replies and what came of the transfer are kept in its answer. Used on the lane's queue; never blocks.
final class ControlChannel {
    /// What came.
    enum Event {
        case nothing
        /// The code of one whole reply.
        case reply(Int)
        case end(CURLcode)
    }

    let socket: Int32
    private let wire: any Wire
    private let transfer: Transfer
    /// What came of a line that is not whole yet, and what came after the last reply.
    private var incoming: [UInt8] = []

    /// A line longer than this is none of a file server.
    private static let longestLine = 65_536

    init(_ transfer: Transfer, over connection: KeptConnection) {
        socket = connection.socket
        wire = connection.wire
        self.transfer = transfer
    }

    /// libcurl can use the connection again; once.
    func close() { wire.giveBack() }

    /// How many commands wait for their last reply.
    private(set) var open = 0

    /// Whether something came after the last reply that was asked for.
    var hasMore: Bool { open == 0 && !incoming.isEmpty }

    /// Sends commands without their line ends, together. They are few, so that the connection always has room for them.
    func send(_ commands: [UInt8]...) -> DialogueEnd? {
        var bytes: [UInt8] = []
        for command in commands {
            bytes += command
            bytes.append(0x0d)
            bytes.append(0x0a)
        }
        open += commands.count
        isAwaiting = true
        guard case .bytes(bytes.count) = bytes.withUnsafeBytes(wire.send) else {
            return .code(CURLE_SEND_ERROR)
        }
        return nil
    }

    /// Nothing can have come yet to what was sent last: it is not looked for before it was waited for.
    var isAwaiting = false

    /// The next whole reply, as far as it is there.
    func next() -> Event {
        while true {
            if let event = takeReply() { return event }
            if isAwaiting { return .nothing }
            let moved = withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { space in
                let moved = wire.receive(into: space)
                if case .bytes(let count) = moved {
                    incoming += UnsafeRawBufferPointer(rebasing: space[..<count])
                }
                return moved
            }
            switch moved {
            case .bytes: continue
            case .nothing: return .nothing
            case .over: return .end(CURLE_RECV_ERROR)
            }
        }
    }

    private func takeReply() -> Event? {
        while let end = incoming.firstIndex(of: 0x0a) {
            let before = transfer.answer.replies.total
            let isTaken = incoming.withUnsafeBytes {
                let line = UnsafeRawBufferPointer(rebasing: $0[...end])
                return transfer.line(line) == line.count
            }
            if end + 1 == incoming.count {
                incoming.removeAll(keepingCapacity: true)
            } else {
                incoming.removeFirst(end + 1)
            }
            guard isTaken else { return .end(CURLE_WRITE_ERROR) }
            let replies = transfer.answer.replies
            guard replies.total > before else { continue }
            if replies.code >= 200 { open -= 1 }
            // The server closes the connection, whatever was asked.
            return replies.code == 421 ? .end(CURLE_OPERATION_TIMEDOUT) : .reply(replies.code)
        }
        return incoming.count > Self.longestLine ? .end(CURLE_WEIRD_SERVER_REPLY) : nil
    }
}
