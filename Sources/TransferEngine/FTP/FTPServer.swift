internal import CCurl
internal import TransferModel

/// A server that speaks FTP or FTPS (RFC 959, RFC 3659, RFC 4217), over libcurl.
struct FTPServer: FileServer {
    let assignment: Assignment
    let limit: Duration?

    init(_ assignment: Assignment, limit: Duration? = nil) {
        self.assignment = assignment
        self.limit = limit
    }

    var origin: Origin { assignment.job.origin }
    var sizeSource: String { "SIZE" }
    var writesByOffset: Bool { false }

    /// A request that transfers nothing: commands and their replies.
    func request(_ commands: [[UInt8]]) -> Request {
        var request = Request(url: origin.root)
        request.commands = commands
        request.isDialogue = !commands.isEmpty
        request.timeout = limit
        request.set(.noBody, true)
        request.set(.receiveBufferSize, 16_384)
        return request
    }

    /// A request about a file or directory that moves data.
    func request(for path: RemotePath) -> Request {
        var request = Request(url: path.address(at: origin))
        request.timeout = limit
        request.set(.pathAsIs, true)
        return request
    }

    /// A command about a path, as it goes over the wire.
    static func command(_ verb: String, _ path: RemotePath) -> [UInt8] { Array("\(verb) ".utf8) + path.bytes }

    /// Sends commands whose refusal is an answer, and returns the replies to them; throws when the connection broke.
    func ask(
        _ commands: [[UInt8]], doing: String, patience: Duration = .zero, on lane: isolated Lane
    ) async throws -> [ReplyLog.Entry] {
        var replies: [ReplyLog.Entry] = []
        while replies.count < commands.count {
            let some = commands[replies.count...].prefix(ReplyLog.most)
            var request = request(some.map(Self.optional))
            request.allow(silence: patience)
            let answer = try await lane.perform(request)
            guard answer.error == nil, answer.replies.entries.count >= some.count else {
                throw Failure(answer, doing: doing)
            }
            replies += answer.replies.entries.suffix(some.count)
        }
        return replies
    }

    /// With the star that has libcurl go on after a refusal.
    private static func optional(_ command: [UInt8]) -> [UInt8] {
        command.first == UInt8(ascii: "*") ? command : [UInt8(ascii: "*")] + command
    }
}

extension Request {
    /// The server may take that long for a reply.
    fileprivate mutating func allow(silence: Duration) {
        guard silence > .zero else { return }
        patience = silence
        set(.serverResponseTimeout, Int(silence.wholeMilliseconds / 1_000) + 1)
    }
}

extension Origin {
    /// The address of the server alone, without login and with a slash: no file is meant.
    var root: String {
        let bracketed = host.contains(":") ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(bracketed):\(port)/"
    }
}

extension RemotePath {
    /// The address of the file, as libcurl takes it: each name encoded once.
    func address(at origin: Origin) -> String {
        let isHomeMeant = !isAbsolute && names.first?.first == UInt8(ascii: "~")
        let anchor = isAbsolute ? "/" : isHomeMeant ? "./" : ""
        return origin.root + anchor + names.map { PercentEncoding.encode($0) }.joined(separator: "/")
    }
}
