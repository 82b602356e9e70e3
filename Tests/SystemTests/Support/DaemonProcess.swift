import Glibc
import TestServers

/// A running `transferd`.
final class DaemonProcess: Sendable {
    let child: ChildProcess
    let log: String

    init(child: ChildProcess, log: String) {
        self.child = child
        self.log = log
    }

    var pid: Int32 { child.pid }

    /// Kills it with SIGKILL and waits until it is gone.
    func sigkill() async throws {
        child.signal(SIGKILL)
        try await child.exitStatus(within: .seconds(10))
    }

    /// Asks it to stop; returns how it ended and after how long. Throws when it still runs after 15 s.
    @discardableResult
    func sigterm() async throws -> (status: ChildProcess.ExitStatus, time: Duration) {
        let start = ContinuousClock.now
        child.signal(SIGTERM)
        let status = try await child.exitStatus(within: .seconds(15))
        return (status, ContinuousClock.now - start)
    }

    /// The most memory that was resident so far, in KiB (VmHWM of proc(5)).
    var peakMemory: Int { field("VmHWM:") ?? 0 }

    /// The threads that it has now.
    var threads: Int { field("Threads:") ?? 0 }

    private func field(_ name: String) -> Int? {
        TestFile.text("/proc/\(pid)/status").split(separator: "\n").first { $0.hasPrefix(name) }
            .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first }
            .flatMap { Int($0) }
    }
}
