import Glibc
import Synchronization
import TestServers
import Testing

extension Whole {
    /// How uploads are put into place, by the daemon with its table and its spool.
    @Suite struct DeliveryTests {
        /// A daemon that a server's script kills at one of its commands.
        private final class Victim: Sendable {
            private let pid = Mutex<Int32?>(nil)

            func set(_ new: Int32?) { pid.withLock { $0 = new } }

            /// Kills the daemon when it is armed; true when it was.
            func kill() -> Bool {
                pid.withLock { pid in
                    guard let number = pid else { return false }
                    pid = nil
                    return Glibc.kill(number, SIGKILL) == 0
                }
            }
        }

        private func sections(_ server: ScriptedFTPServer, _ lines: String...) -> String {
            """
            [route out]
            kind = upload
            url = \(server.url)/in/
            settle = 0
            \(lines.joined(separator: "\n"))
            """
        }

        @Test(arguments: ["RNTO", "MFMT", "STOR in/file.done", "SITE"])
        func `a daemon killed between the rename and the end does what is left and sends nothing again`(
            moment: String
        ) async throws {
            try await withTemporaryDirectory { directory in
                let victim = Victim()
                let server = try ScriptedFTPServer { command in
                    let right =
                        ["SITE", "MFMT"].contains(command.verb) ? FTPBehaviour.replies("200 Ok.") : .right
                    guard command.line.hasPrefix(moment), victim.kill() else { return right }
                    return .closesConnection
                }
                server.files.makeDirectory(Array("/in".utf8))
                let installation = try Installation(
                    directory,
                    sections: sections(
                        server, "marker = {name}.done", "keep_mtime = yes", "after_sent = SITE RUN {name}"))
                var daemon = try await installation.startDaemon()
                victim.set(daemon.pid)
                let content = Sources.content(1, size: 40_000)
                try Sources.drop(content, named: Array("file".utf8), into: installation.spool("out"))
                let end = try await daemon.child.exitStatus(within: .seconds(20))
                #expect(end == .killed(signal: SIGKILL))
                let before = server.lines.count
                daemon = try await installation.startDaemon()
                try await eventually("an empty spool\(installation.logTail)", timeout: .seconds(30)) {
                    try installation.waiting(in: "out").isEmpty
                }
                #expect(server.files.names == ["/in/file", "/in/file.done"])
                #expect(server.files["/in/file"] == content)
                let after = server.lines.dropFirst(before)
                #expect(!after.contains { $0.hasPrefix("STOR") && $0.hasSuffix(".part") })
                #expect(after.contains("SITE RUN file"))
                #expect(after.contains("STOR in/file.done"))
                try await daemon.sigterm()
            }
        }

        @Test func `a file that is skipped is kept, even where what arrived is deleted`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedFTPServer()
                server.files.makeDirectory(Array("/in".utf8))
                server.files["/in/file"] = [1]
                let installation = try Installation(
                    directory, sections: sections(server, "after = delete", "on_conflict = skip"))
                let daemon = try await installation.startDaemon()
                try Sources.drop([7, 7], named: Array("file".utf8), into: installation.spool("out"))
                try Sources.drop([8], named: Array("other".utf8), into: installation.spool("out"))
                try await eventually("an empty spool\(installation.logTail)", timeout: .seconds(30)) {
                    try installation.waiting(in: "out").isEmpty && server.files["/in/other"] != nil
                }
                #expect(try TestFile.read("\(installation.spool("out"))/sent/file") == [7, 7])
                #expect(!TestFile.exists("\(installation.spool("out"))/sent/other"))
                #expect(server.files["/in/file"] == [1])
                let jobs = try await installation.status("--all")
                #expect(jobs.map(\.state) == ["done", "done"])
                try await daemon.sigterm()
            }
        }

        @Test func `what a job has begun at the server goes when the job is cancelled while it waits`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try ScriptedFTPServer { command in
                    command.verb == "STOR" ? .cutsData(after: 40_000) : .right
                }
                server.files.makeDirectory(Array("/in".utf8))
                let installation = try Installation(directory, sections: sections(server))
                let daemon = try await installation.startDaemon()
                try Sources.drop(
                    Sources.content(1, size: 400_000), named: Array("file".utf8),
                    into: installation.spool("out"))
                try await eventually("a failed try\(installation.logTail)") {
                    try await installation.status("--all").first?.state == "queued"
                        && server.files.names.count == 1
                }
                let id = try #require(try await installation.status("--all").first?.id)
                #expect(try await installation.control(["cancel", "\(id)"]).succeeded)
                try await eventually("nothing is left\(installation.logTail)", timeout: .seconds(30)) {
                    server.files.names.isEmpty
                }
                try await daemon.sigterm()
            }
        }
    }
}
