internal import CCurl
internal import CLinux
internal import Glibc

/// Commands and their replies over an FTP control connection that libcurl keeps and does not use in this moment
/// (RFC 959, section 5.4: one reply to each).
///
/// libcurl could do it, as a request that transfers nothing; but making such a request ready costs as much as three
/// commands, and each small file needs one. What comes of it is the same, with libcurl's codes for what goes wrong.
/// Used on the lane's queue; never blocks.
final class CommandDialogue {
    let socket: Int32
    private let transfer: Transfer
    private var commands: ArraySlice<[UInt8]>
    /// Whether the command that was sent last may be refused.
    private var isOptional = false
    /// What came of a line that is not whole yet.
    private var incoming: [UInt8] = []

    /// A line longer than this is none of a file server.
    private static let longestLine = 65_536

    /// The transfer is one of ``Request/isDialogue``.
    init(_ transfer: Transfer, over socket: Int32) {
        self.socket = socket
        self.transfer = transfer
        commands = transfer.request.commands[...]
    }

    /// Sends the first command; the result when it is over already.
    func begin() -> CURLcode? { sendNext() }

    /// Takes in what came, and goes on; the result when it is over.
    func proceed() -> CURLcode? {
        while true {
            let count = withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { space in
                let count = recv(socket, space.baseAddress, space.count, Int32(MSG_DONTWAIT))
                if count > 0 { incoming += UnsafeRawBufferPointer(rebasing: space[..<count]) }
                return count
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return nil }
            guard count > 0 else { return CURLE_RECV_ERROR }
            if let result = takeLines() { return result }
        }
    }

    private func takeLines() -> CURLcode? {
        while let end = incoming.firstIndex(of: 0x0a) {
            let before = transfer.answer.replies.total
            let isTaken = incoming.withUnsafeBytes {
                let line = UnsafeRawBufferPointer(rebasing: $0[...end])
                return transfer.line(line) == line.count
            }
            incoming.removeFirst(end + 1)
            guard isTaken else { return CURLE_WRITE_ERROR }
            guard transfer.answer.replies.total > before else { continue }
            if let result = goOn(after: transfer.answer.replies.code) { return result }
        }
        return incoming.count > Self.longestLine ? CURLE_WEIRD_SERVER_REPLY : nil
    }

    private func goOn(after code: Int) -> CURLcode? {
        // The server closes the connection, whatever was asked.
        if code == 421 { return CURLE_OPERATION_TIMEDOUT }
        // A reply that nothing was asked for: what follows would be taken for another's.
        guard incoming.isEmpty else { return CURLE_WEIRD_SERVER_REPLY }
        guard code < 400 || isOptional else { return CURLE_QUOTE_ERROR }
        return commands.isEmpty ? CURLE_OK : sendNext()
    }

    /// No more than one command is on its way, so that the connection always has room for it.
    private func sendNext() -> CURLcode? {
        guard var command = commands.popFirst() else { return CURLE_OK }
        isOptional = command.first == UInt8(ascii: "*")
        if isOptional { command.removeFirst() }
        command += [0x0d, 0x0a]
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        return send(socket, command, command.count, flags) == command.count ? nil : CURLE_SEND_ERROR
    }
}
