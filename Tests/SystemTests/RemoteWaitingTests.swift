import Glibc
import TestServers
import Testing

/// Remote operations that wait: for a server, for a daemon, for somebody who reads what they brought.
@Suite struct RemoteWaitingTests {
    @Test func `without a daemon nothing is asked but what may wait`() async throws {
        try await withInstallation { installation, _ in
            let server = try ScriptedFTPServer()
            server.files["/a"] = [1]
            let refused = try await installation.control(["remote", "ls", "\(server.url)/"])
            #expect(refused.status == .exited(5))
            #expect(refused.errorText.contains("no transferd is running"))
            let queued = try await installation.control(["remote", "ls", "--queue", "\(server.url)/"])
            #expect(queued.succeeded && queued.text == "1\n", "\(queued.errorText)")
            let early = try await installation.control(["remote", "result", "1"])
            #expect(early.status == .exited(5) && early.errorText.contains("no result yet"))
            let daemon = try await installation.startDaemon()
            try await installation.expectDone([1])
            let result = try await installation.control(["remote", "result", "1"])
            #expect(result.succeeded && result.text == "a\n")
            let again = try await installation.control(["remote", "result", "1"])
            #expect(again.status == .exited(2) && again.errorText.contains("is gone"))
            let status = try await installation.control(["show", "1"])
            #expect(status.text.contains("operation") && status.text.contains("remote result 1"))
            try await daemon.sigterm()
        }
    }

    @Test
    func `what waits like any job is done when its server is back, what somebody waits for is told at once`()
        async throws
    {
        try await withInstallation { installation, _ in
            let server = try ScriptedFTPServer()
            let port = server.port
            server.stop()
            let daemon = try await installation.startDaemon()
            let url = "ftp://127.0.0.1:\(port)"
            let queued = try await installation.control(["remote", "mkdir", "--queue", "\(url)/made"])
            #expect(queued.succeeded)
            try await eventually("the first try") { try await installation.show(1).error != nil }
            let refused = try await installation.control(["remote", "ls", "\(url)/"])
            #expect(refused.status == .exited(5), "\(refused.errorText)")
            #expect(refused.errorText.contains("connect"), "\(refused.errorText)")
            #expect(try await installation.show(2).state == "failed")
            #expect(!(try await installation.control(["status"]).text.contains("failed  remote")))
            // The origin is backed off for half a minute; a person's wish opens it, and the other job follows.
            let back = try ScriptedFTPServer(port: port)
            let listed = try await installation.control(["remote", "ls", "\(url)/"], within: .seconds(20))
            #expect(listed.succeeded, "\(listed.errorText)")
            try await installation.expectDone([1])
            #expect(back.files.isDirectory(Array("/made".utf8)))
            try await daemon.sigterm()
        }
    }

    @Test func `Ctrl-C gives the job up`() async throws {
        try await withInstallation { installation, directory in
            let server = try ScriptedFTPServer { command in
                command.verb == "RETR" ? slow() : .right
            }
            server.files["/big"] = [UInt8](repeating: 7, count: 2_000_000)
            let daemon = try await installation.startDaemon()
            let child = try ChildProcess.spawn(
                [
                    try Programs.transferctl, "--state", installation.state, "--config",
                    installation.configuration, "remote", "get", "\(server.url)/big", "-o",
                    directory.appending("out"),
                ], output: .file(directory.appending("ctl.log")))
            try await eventually("the transfer") { server.lines.contains("RETR big") }
            #expect(TestFile.exists("\(installation.state)/results/1"))
            child.signal(SIGINT)
            #expect(try await child.exitStatus(within: .seconds(10)) == .killed(signal: SIGINT))
            #expect(TestFile.text(directory.appending("ctl.log")).contains("job 1 is cancelled"))
            #expect(try await installation.show(1).state == "cancelled")
            #expect(try TestFile.names(in: "\(installation.state)/results").isEmpty)
            #expect(!TestFile.exists(directory.appending("out")))
            try await daemon.sigterm()
        }
    }

    @Test func `who waits for a busy server is told so, and comes before what waits there`() async throws {
        try await withInstallation(sections: "[origin one]\nmatch = *\nlanes = 1") { installation, _ in
            let server = try ScriptedFTPServer { command in
                command.verb == "RETR" && command.occurrence == 0 ? slow() : .right
            }
            server.files["/big"] = [UInt8](repeating: 7, count: 600_000)
            let daemon = try await installation.startDaemon()
            for name in ["big", "later"] {
                _ = try await installation.control(["remote", "get", "--queue", "\(server.url)/\(name)"])
            }
            try await eventually("the transfer") { server.lines.contains("RETR big") }
            let listed = try await installation.control(["remote", "ls", "\(server.url)/"])
            #expect(listed.succeeded && listed.text == "big\n", "\(listed.errorText)")
            #expect(listed.errorText.contains("waiting: all connections to "), "\(listed.errorText)")
            let asked = server.lines.filter { $0.hasPrefix("RETR") || $0.hasPrefix("MLSD") }
            #expect(asked.prefix(2) == ["RETR big", "MLSD"], "\(asked)")
            try await daemon.sigterm()
        }
    }

    @Test func `results that nobody reads are removed after a while, those of jobs that go on are not`()
        async throws
    {
        try await withInstallation(general: ["keep_failed = 1h"]) { installation, _ in
            let server = try ScriptedFTPServer()
            server.files["/a"] = [1]
            var daemon = try await installation.startDaemon()
            for _ in 0..<2 {
                _ = try await installation.control(["remote", "ls", "--queue", "\(server.url)/"])
            }
            try await installation.expectDone([1, 2])
            try await daemon.sigterm()
            let results = "\(installation.state)/results"
            try TestFile.write([1], to: "\(results)/note")
            for name in ["1", "note"] { try age("\(results)/\(name)", bySeconds: 7200) }
            daemon = try await installation.startDaemon()
            let kept = try TestFile.names(in: results).map { String(decoding: $0, as: UTF8.self) }
            #expect(kept.sorted() == ["2", "note"])
            try await daemon.sigterm()
        }
    }

    private func slow() -> FTPBehaviour {
        var behaviour = FTPBehaviour()
        behaviour.bytesPerSecond = 200_000
        return behaviour
    }

    private func age(_ path: String, bySeconds seconds: Int) throws {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        time.tv_sec -= seconds
        guard utimensat(AT_FDCWD, path, [time, time], 0) == 0 else {
            throw TestServerError("utimensat \(path)")
        }
    }
}
