internal import TransferModel

/// The request that compares a file's size and renames it, and what to try when the server refuses a part of it.
/// A value: what was answered goes in, what to do next comes out.
///
/// It is one request so that it costs as little as can be: SIZE, then RNFR and RNTO, which are not sent when the size is
/// another. Where nothing may be replaced, RNFR of the new name comes between: something that answers it stands there.
struct FTPMove {
    enum Next {
        /// Ask again, in the way that this value has changed to.
        case again
        case ended(Moved)
        /// It was not about the file.
        case failed
    }

    let move: RemoteMove
    /// Whether TYPE I is sent first: it holds on the connection that has just carried the data, and on no other.
    private var setsType: Bool
    private var compares: Bool
    /// SIZE was answered as if there were no such file, which a directory that may only be written to says of each.
    private var mayBeAbsent = false
    /// The server does not rename onto what exists: its refusal.
    private var refusal: Failure?

    init(_ move: RemoteMove) {
        self.move = move
        compares = move.size != nil
        setsType = !compares
    }

    var commands: [[UInt8]] {
        var commands: [[UInt8]] = []
        if setsType { commands.append(Array("TYPE I".utf8)) }
        if compares { commands.append(FTPServer.command("SIZE", move.from)) }
        if !move.replaces { commands.append(FTPServer.command("*RNFR", move.to)) }
        // Only a file that is known to be whole may take another one's place. Where there is none to delete, the
        // refusal had another reason.
        if refusal != nil { commands.append(FTPServer.command("DELE", move.to)) }
        commands.append(FTPServer.command("RNFR", move.from))
        commands.append(FTPServer.command("RNTO", move.to))
        return commands
    }

    /// Whether the first two ``commands`` are SIZE and RNFR, of which the second changes nothing whatever comes of the first.
    var beginsWithTwo: Bool { compares && !setsType && move.replaces && refusal == nil }

    /// With how many of the last ``commands`` it begins that something is changed: RNFR alone changes nothing.
    var changes: Int { refusal == nil ? 1 : 3 }

    /// Whether the request may go on after the replies so far; it ends by itself when the size is another or the new
    /// name is taken.
    func allows(_ replies: ReplyLog) -> Bool {
        guard let reply = replies.entries.last else { return true }
        if compares, reply.code == 213 {
            let found = RemoteFile(size: reply)
            return found == .unknown || found == move.size.map(RemoteFile.size)
        }
        return !isTaken(replies)
    }

    /// RNFR of the new name comes right after SIZE or TYPE, that of the old one after the refusal of the first.
    private func isTaken(_ replies: ReplyLog) -> Bool {
        guard !move.replaces, replies.code == 350 else { return false }
        return replies.codes.dropLast().last.map { $0 < 400 } ?? true
    }

    mutating func next(after answer: Answer, doing: String) -> Next {
        if answer.error == nil { return .ended(.done(isVerified: compares && told(answer))) }
        if answer.wasRefused { return ended(by: answer) }
        guard answer.isLoggedIn else { return .failed }
        let failure = Failure(answer, doing: doing)
        let isRenaming = answer.replies.codes.contains(350)
        let code = answer.replies.code
        guard code >= 400, code != 421 else { return isRenaming ? .ended(.lost(failure)) : .failed }
        if isRenaming { return refused(failure, code) }
        if let refusal { return .ended(.refused(refusal)) }
        if mayBeAbsent, found(answer) == .absent { return .ended(.wrongSize(.absent)) }
        let isAboutSize = compares && !answer.replies.codes.contains(213)
        guard isAboutSize else { return (500...599).contains(code) ? .ended(.refused(failure)) : .failed }
        return sizeRefused(answer)
    }

    private mutating func ended(by answer: Answer) -> Next {
        if answer.replies.code == 350 { return .ended(.taken) }
        return answer.isFresh && useType() ? .again : .ended(.wrongSize(found(answer)))
    }

    /// SIZE itself was answered with no.
    private mutating func sizeRefused(_ answer: Answer) -> Next {
        guard (500...599).contains(answer.replies.code) else { return .failed }
        if useType() { return .again }
        // RNFR tells whether there is anything.
        mayBeAbsent = found(answer) == .absent
        compares = false
        return .again
    }

    /// RNTO was answered with no: with what exists in the way, or for another reason.
    private mutating func refused(_ failure: Failure, _ code: Int) -> Next {
        if refusal != nil {
            var failure = failure
            failure.class = .temporary
            failure.text += "; the file that was there is deleted"
            return .ended(.refused(failure))
        }
        let isUnknown = [500, 501, 502, 503, 504, 530, 532, 552].contains(code)
        guard move.replaces, code >= 500, !isUnknown else { return .ended(.refused(failure)) }
        refusal = failure
        return .again
    }

    /// Whether SIZE was answered with a size: some servers put words there.
    private func told(_ answer: Answer) -> Bool {
        answer.replies.entries.contains { $0.code == 213 && RemoteFile(size: $0) != .unknown }
    }

    private func found(_ answer: Answer) -> RemoteFile {
        answer.replies.entries.last.flatMap { RemoteFile(size: $0) } ?? .unknown
    }

    private mutating func useType() -> Bool {
        defer { setsType = true }
        return !setsType
    }
}
