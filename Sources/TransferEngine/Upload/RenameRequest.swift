internal import TransferModel

/// The request that compares a temporary file's size and renames it, and what to try when the server refuses a part of
/// it. A value: what was answered goes in, what to do next comes out.
struct RenameRequest {
    enum Next {
        /// `isVerified` false: the server has no SIZE.
        case done(isVerified: Bool)
        /// Ask again, in the way that this value has changed to.
        case again
        case wrongSize(RemoteSize)
        /// Nobody knows whether the rename was done.
        case lost
        case failed
    }

    let target: RemoteTarget
    let size: Int64
    /// Whether TYPE I is sent first: it holds on the connection that has just carried the data, and on no other.
    private var setsType = false
    private var compares = true
    private var replaces = false

    init(target: RemoteTarget, size: Int64) {
        self.target = target
        self.size = size
    }

    /// Ends the request by itself before RNFR when the size is another.
    func request(_ worker: UploadWorker) -> Request {
        var commands: [[UInt8]] = []
        if setsType { commands.append(Array("TYPE I".utf8)) }
        if compares { commands.append(target.command("SIZE", target.temporary)) }
        // Only a file that is known to be whole may take another one's place.
        if replaces { commands.append(target.command("*DELE", target.name)) }
        commands.append(target.command("RNFR", target.temporary))
        commands.append(target.command("RNTO", target.name))
        var request = worker.request(target, commands)
        if compares {
            var replies = ReplyLog()
            request.onLine = { [size] line in
                replies.take(line)
                return replies.code != 213 || replies.entries.last.flatMap { RemoteSize($0) } == .bytes(size)
            }
        }
        return request
    }

    mutating func next(after answer: Answer) -> Next {
        let codes = answer.replies.codes
        if answer.error == nil { return .done(isVerified: compares) }
        if answer.wasRefused { return answer.isFresh && useType() ? .again : .wrongSize(found(answer)) }
        guard answer.isLoggedIn else { return .failed }
        let refusal = answer.replies.code
        guard refusal >= 400, refusal != 421 else { return codes.contains(350) ? .lost : .failed }
        if codes.contains(350) { return refusal >= 500 && refusal != 552 && replace() ? .again : .failed }
        if !compares || codes.contains(213) { return .failed }
        return sizeRefused(answer)
    }

    /// SIZE itself was answered with no.
    private mutating func sizeRefused(_ answer: Answer) -> Next {
        guard (500...599).contains(answer.replies.code) else { return .failed }
        if useType() { return .again }
        let size = found(answer)
        if size == .absent { return .wrongSize(size) }
        compares = false
        return .again
    }

    private func found(_ answer: Answer) -> RemoteSize {
        answer.replies.entries.last.flatMap { RemoteSize($0) } ?? .unsupported
    }

    private mutating func useType() -> Bool {
        defer { setsType = true }
        return !setsType
    }

    private mutating func replace() -> Bool {
        defer { replaces = true }
        return !replaces
    }
}
