import Glibc
import TestServers
import Testing

/// A state directory and a configuration of its own, and the programs that work on them.
final class Installation: Sendable {
    let directory: TemporaryDirectory
    let notify: NotifySocket
    let state: String
    let configuration: String
    let log: String

    /// - Parameter general: lines of section `[transferd]`.
    init(_ directory: TemporaryDirectory, general: [String] = [], sections: String = "") throws {
        self.directory = directory
        state = try directory.makeDirectory("state")
        configuration = directory.appending("transferd.conf")
        log = directory.appending("transferd.log")
        notify = try NotifySocket(path: directory.appending("notify"))
        try configure(general: general, sections: sections)
    }

    func configure(general: [String] = [], sections: String) throws {
        let head = general.isEmpty ? "" : "[transferd]\n" + general.joined(separator: "\n") + "\n"
        try TestFile.write(Array((head + sections + "\n").utf8), to: configuration)
    }

    // MARK: The daemon

    /// Starts `transferd` and waits until it says READY.
    ///
    /// - Parameters:
    ///   - watchdog: what WatchdogSec= would allow.
    ///   - environment: added to this process's own.
    ///   - launcher: the words of a program that becomes `transferd`.
    func startDaemon(
        watchdog: Duration? = nil, environment: [String: String] = [:], launcher: [String] = [],
        within timeout: Duration = .seconds(20)
    ) async throws -> DaemonProcess {
        let before = notify.count(of: "READY=1")
        let daemon = try spawnDaemon(watchdog: watchdog, environment: environment, launcher: launcher)
        try await eventually("READY=1 of transferd", timeout: timeout, every: .milliseconds(2)) {
            guard daemon.child.isRunning else {
                throw TestServerError("transferd ended: \(TestFile.text(log))")
            }
            return notify.count(of: "READY=1") > before
        }
        return daemon
    }

    /// Starts `transferd` and does not wait.
    func spawnDaemon(
        watchdog: Duration? = nil, environment: [String: String] = [:], launcher: [String] = []
    ) throws -> DaemonProcess {
        var environment = environment
        environment["NOTIFY_SOCKET"] = notify.path
        environment["WATCHDOG_USEC"] = watchdog.map { "\(Int($0 / .microseconds(1)))" }
        let child = try ChildProcess.spawn(
            launcher + [try Programs.transferd, "--state", state, "--config", configuration],
            environment: environment,
            output: .file(log))
        return DaemonProcess(child: child, log: log)
    }

    // MARK: transferctl

    /// Runs `transferctl` to its end.
    func control(
        _ arguments: [String], input: [UInt8] = [], within timeout: Duration = .seconds(120)
    ) async throws -> ChildProcess.Completed {
        try await ChildProcess.run(
            [try Programs.transferctl, "--state", state, "--config", configuration] + arguments, input: input,
            timeout: timeout)
    }

    /// Enqueues one job and returns its number.
    func enqueue(_ arguments: String...) async throws -> Int { try await enqueue(arguments) }

    func enqueue(_ arguments: [String]) async throws -> Int {
        guard let first = try await enqueueAll(arguments).first else {
            throw TestServerError("transferctl enqueue \(arguments) printed no number")
        }
        return first
    }

    /// Enqueues a job for each of several files and returns their numbers.
    func enqueueAll(_ arguments: [String]) async throws -> [Int] {
        let done = try await control(["enqueue"] + arguments)
        let lines = done.text.split(separator: "\n")
        let numbers = lines.compactMap { Int($0) }
        guard done.succeeded, numbers.count == lines.count else {
            throw TestServerError(
                "transferctl enqueue \(arguments): \(done.status) \(done.text)\(done.errorText)")
        }
        return numbers
    }

    func status(_ arguments: String...) async throws -> [JobLine] { try await status(arguments) }

    func status(_ arguments: [String]) async throws -> [JobLine] {
        let done = try await control(["status", "--json"] + arguments)
        guard done.succeeded else {
            throw TestServerError("transferctl status: \(done.status) \(done.errorText)")
        }
        return try JobLine.lines(done.output)
    }

    func show(_ id: Int) async throws -> JobLine {
        let done = try await control(["show", "--json", "\(id)"])
        guard let line = try JobLine.lines(done.output).first else {
            throw TestServerError("transferctl show \(id): \(done.status) \(done.errorText)")
        }
        return line
    }

    /// Waits for the ends of jobs; returns `transferctl wait`'s exit status.
    func wait(_ ids: [Int], within timeout: Duration = .seconds(60)) async throws -> ChildProcess.ExitStatus {
        let seconds = Int(timeout / .seconds(1))
        let done = try await control(
            ["wait"] + ids.map(String.init) + ["--timeout", "\(seconds)s"], within: timeout + .seconds(10))
        return done.status
    }

    /// Waits until `ids` are done; records an issue with their lines and the log's end otherwise.
    func expectDone(
        _ ids: [Int], within timeout: Duration = .seconds(60),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let end = try await wait(ids, within: timeout)
        guard end != .exited(0) else { return }
        let lines = try await control(["status"] + ids.prefix(20).map(String.init)).text
        Issue.record("\(end) for \(lines)\(logTail)", sourceLocation: sourceLocation)
    }

    // MARK: What is there

    var database: String { "\(state)/jobs.db" }
    func spool(_ route: String) -> String { "\(state)/spool/\(route)" }
    var downloads: String { "\(state)/downloads" }

    /// Everything that is logged so far.
    var logText: String { TestFile.text(log) }

    /// The last lines of the log, for messages.
    var logTail: String {
        "\nthe log ends:\n" + logText.split(separator: "\n").suffix(40).joined(separator: "\n")
    }

    /// The files waiting in a route's spool directory, without those below `sent` and `failed`.
    func waiting(in route: String) throws -> [[UInt8]] {
        let ignored = ["sent", "failed", ".claimed"].map { Array($0.utf8) }
        return try TestFile.names(in: spool(route)).filter { !ignored.contains($0) }
            + (try claimed(in: route))
    }

    /// The names in the batches below `.claimed`; a batch may go while it is looked at.
    private func claimed(in route: String) throws -> [[UInt8]] {
        let place = "\(spool(route))/.claimed"
        let batches = (try? TestFile.names(in: place)) ?? []
        return batches.flatMap { batch in
            (try? TestFile.names(in: "\(place)/\(String(decoding: batch, as: UTF8.self))")) ?? []
        }
    }
}

/// Runs `body` with an installation in a directory of its own.
func withInstallation<Result>(
    general: [String] = [], sections: String = "",
    _ body: (Installation, TemporaryDirectory) async throws -> Result
) async throws -> Result {
    try await withTemporaryDirectory { directory in
        try await body(Installation(directory, general: general, sections: sections), directory)
    }
}
