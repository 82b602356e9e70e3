internal import Glibc
internal import TransferModel

/// The program `transferctl`: reads its command line, does one thing, says how it went.
public enum Program {
    /// Runs the command and returns the exit status. `arguments` as main gets them, the program's name first.
    public static func run(
        _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) -> Int32 {
        // A reader that went away shows as EPIPE, after what was to be recorded has been.
        _ = signal(SIGPIPE, SIG_IGN)
        let words = (1..<max(1, Int(count))).compactMap { arguments[$0].map { CString.bytes($0) } }
        let output = Output()
        let status = run(words, output)
        output.flush()
        guard let code = output.failure else { return status.rawValue }
        Complaint.write("cannot write to standard output: \(SystemCall.reason(code))")
        return max(status, .later).rawValue
    }

    private static func run(_ words: [[UInt8]], _ output: Output) -> ExitStatus {
        do {
            return try perform(try Invocation(words), output)
        } catch {
            output.flush()
            let failure = CommandError(error)
            Complaint.write(failure.description)
            return failure.status
        }
    }

    private static func perform(_ invocation: Invocation, _ output: Output) throws -> ExitStatus {
        switch invocation.command {
        case .version:
            output.line("transferctl \(Version.text)")
            return .success
        case .help(let topic):
            output.write(Help.text(topic))
            return .success
        case .enqueue(let order, let options):
            let enqueue = try Enqueue(session: try Session(invocation, output), options: options)
            let ids = try Interruption.watching { try enqueue.run(order) }
            return options.waits ? try enqueue.wait(ids) : .success
        case .status(let query):
            let session = try Session(tableOf: invocation, output)
            guard query.watch else { return try Status(session: session, query: query).run() }
            return output.isTerminal && !query.json
                ? try ScreenWatch(session: session, query: query).run()
                : try ChangeWatch(session: session, query: query).run()
        case .show(let ids, let json):
            return try Show(session: try Session(tableOf: invocation, output), json: json).run(ids)
        case .showReply(let id, let withHead):
            return try ReplyView(session: try Session(tableOf: invocation, output)).run(
                id, withHead: withHead)
        case .wait(let ids, let timeout, let json):
            return try Wait(session: try Session(tableOf: invocation, output), json: json).run(
                ids, timeout: timeout)
        case .request(let request, let ids, let json):
            return try Ask(session: try Session(tableOf: invocation, output), json: json).run(
                request, of: ids)
        case .limit(let rate, let ids, let json):
            return try Ask(session: try Session(tableOf: invocation, output), json: json).limit(rate, of: ids)
        case .remote(let order):
            let session =
                order.needsConfiguration
                ? try Session(invocation, output) : try Session(tableOf: invocation, output)
            return try Remote(session: session).run(order)
        }
    }
}
