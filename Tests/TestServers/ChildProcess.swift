import CLinux
import Dispatch
import Glibc
import Synchronization

/// A program started by a test: it has a process group of its own and is killed when this process ends.
public final class ChildProcess: Sendable {
    /// How a program ended.
    public enum ExitStatus: Sendable, Equatable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// Where the program's standard output and standard error go.
    public enum Output: Sendable {
        case discarded
        /// Appended to the file at this path; made when missing.
        case file(String)
    }

    public let pid: Int32
    private let status = Mutex<ExitStatus?>(nil)

    private init(pid: Int32) { self.pid = pid }

    deinit { Self.killGroup(pid, unless: status) }

    /// Starts a program, found in PATH when its name has no slash.
    ///
    /// - Parameters:
    ///   - environment: added to this process's own.
    ///   - output: for both standard output and standard error, unless `errors` says else.
    ///   - diesWithParent: the kernel sends SIGTERM to the program when this process dies, whatever kills it.
    public static func spawn(
        _ arguments: [String], environment: [String: String] = [:], output: Output = .discarded,
        errors: Output? = nil, diesWithParent: Bool = true
    ) throws -> ChildProcess {
        try spawn(
            rawArguments: arguments.map { Array($0.utf8) }, environment: environment, output: output,
            errors: errors, diesWithParent: diesWithParent)
    }

    /// As `spawn(_:)`, with arguments of any bytes.
    public static func spawn(
        rawArguments: [[UInt8]], environment: [String: String] = [:], output: Output = .discarded,
        errors: Output? = nil, diesWithParent: Bool = true
    ) throws -> ChildProcess {
        let outputFile = try open(output)
        defer { close(outputFile) }
        let errorFile = try errors.map(open) ?? dup(outputFile)
        defer { close(errorFile) }
        let child = try spawn(
            rawArguments, environment: environment, descriptors: [-1, outputFile, errorFile],
            diesWithParent: diesWithParent)
        child.reap()
        return child
    }

    /// Starts a server whose three standard descriptors all go to one file: vsftpd complains on its standard input.
    static func spawnServer(
        _ arguments: [String], environment: [String: String], output: String
    ) throws -> ChildProcess {
        let file = try open(.file(output))
        defer { close(file) }
        let child = try spawn(
            arguments.map { Array($0.utf8) }, environment: environment, descriptors: [file, file, file],
            diesWithParent: true)
        child.reap()
        return child
    }

    /// How the program ended, nil while it runs.
    public var exitStatus: ExitStatus? { status.withLock { $0 } }

    public var isRunning: Bool { exitStatus == nil }

    /// Sends a signal to the program alone; false when it has ended already.
    @discardableResult
    public func signal(_ number: Int32) -> Bool {
        status.withLock { $0 == nil && Glibc.kill(pid, number) == 0 }
    }

    /// Waits for the program's end; throws when it still runs after `timeout`.
    @discardableResult
    public func exitStatus(within timeout: Duration) async throws -> ExitStatus {
        try await eventually("the end of process \(pid)", timeout: timeout, every: .milliseconds(5)) {
            exitStatus
        }
    }

    /// Asks the program to end with SIGTERM, kills it when it does not within `grace`, and waits for its end.
    @discardableResult
    public func terminate(grace: Duration = .seconds(5)) async -> ExitStatus {
        signal(SIGTERM)
        if let status = try? await exitStatus(within: grace) {
            Glibc.kill(-pid, SIGKILL)
            return status
        }
        return await kill()
    }

    /// Kills the program and its process group with SIGKILL and waits for its end.
    @discardableResult
    public func kill() async -> ExitStatus {
        Self.killGroup(pid, unless: status)
        while true {
            if let status = exitStatus { return status }
            await pause(.milliseconds(2))
        }
    }

    private static func killGroup(_ pid: Int32, unless status: borrowing Mutex<ExitStatus?>) {
        status.withLock { status in
            if status == nil { _ = Glibc.kill(-pid, SIGKILL) }
        }
    }

    private static func open(_ output: Output) throws -> Int32 {
        let path =
            switch output {
            case .discarded: "/dev/null"
            case .file(let path): path
            }
        let fd = transferd_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard fd >= 0 else { throw TestServerError.system(call: "open", path: path) }
        return fd
    }

    /// Waits for the program's end on a thread of its own, so that the process table is left clean.
    private func reap() {
        let pid = pid
        BlockingThread.start { [weak self] in
            var information = siginfo_t()
            while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
            guard let self else {
                _ = Self.collect(pid)
                return
            }
            // Under the lock: a signal is never sent to a number that another process may have by now.
            status.withLock { $0 = Self.collect(pid) }
        }
    }

    private static func collect(_ pid: Int32) -> ExitStatus {
        var code: Int32 = 0
        while waitpid(pid, &code, 0) < 0 && errno == EINTR {}
        let signal = code & 0x7f
        return signal == 0 ? .exited((code >> 8) & 0xff) : .killed(signal: signal)
    }

    private static func spawn(
        _ arguments: [[UInt8]], environment: [String: String], descriptors: [Int32], diesWithParent: Bool
    ) throws -> ChildProcess {
        let prefix = diesWithParent ? ["setpriv", "--pdeathsig", "TERM", "--"] : ["env", "--"]
        let pid = Spawner.shared.spawn(
            prefix.map { Array($0.utf8) } + arguments, environment: environment, descriptors: descriptors)
        guard pid > 0 else { throw TestServerError("posix_spawn: \(String(cString: strerror(-pid)))") }
        return ChildProcess(pid: pid)
    }

    /// Runs a small program to its end, blocking: only for what is done in microseconds.
    static func spawnAndWait(_ arguments: [String]) {
        let pid = Spawner.spawnNow(
            arguments.map { Array($0.utf8) }, environment: [:], descriptors: [-1, -1, -1])
        if pid > 0 { _ = collect(pid) }
    }
}

extension ChildProcess {
    /// What a program that has ended left.
    public struct Completed: Sendable {
        public let status: ExitStatus
        public let output: [UInt8]
        public let errors: [UInt8]

        /// The standard output as text.
        public var text: String { String(decoding: output, as: UTF8.self) }
        /// The standard error as text.
        public var errorText: String { String(decoding: errors, as: UTF8.self) }
        /// Whether the program ended with exit status 0.
        public var succeeded: Bool { status == .exited(0) }
    }

    /// Runs a program to its end with `input` as its standard input, and returns what it printed.
    ///
    /// Killed, and an error thrown, when it is not done within `timeout`.
    public static func run(
        _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = [],
        timeout: Duration = .seconds(60)
    ) async throws -> Completed {
        try await run(
            rawArguments: arguments.map { Array($0.utf8) }, environment: environment, input: input,
            timeout: timeout)
    }

    /// As `run(_:)`, with arguments of any bytes.
    public static func run(
        rawArguments: [[UInt8]], environment: [String: String] = [:], input: [UInt8] = [],
        timeout: Duration = .seconds(60)
    ) async throws -> Completed {
        let files = try [unnamedFile(), unnamedFile(), unnamedFile()]
        defer { for file in files { close(file) } }
        guard input.withUnsafeBytes({ writeAll(files[0], $0) }) else {
            throw TestServerError.system(call: "write")
        }
        lseek(files[0], 0, SEEK_SET)
        let child = try spawn(
            rawArguments, environment: environment, descriptors: files, diesWithParent: true)
        child.reap()
        let status: ExitStatus
        do {
            status = try await child.exitStatus(within: timeout)
        } catch {
            await child.kill()
            throw error
        }
        for file in files { lseek(file, 0, SEEK_SET) }
        return Completed(status: status, output: readAll(files[1]), errors: readAll(files[2]))
    }

    private static func unnamedFile() throws -> Int32 {
        let fd = transferd_open("/tmp", O_RDWR | O_CLOEXEC | 0o20200000, 0o600)
        guard fd >= 0 else { throw TestServerError.system(call: "open with O_TMPFILE", path: "/tmp") }
        return fd
    }
}
