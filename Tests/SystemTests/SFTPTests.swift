import Glibc
import TestServers
import Testing

extension Whole {
    /// SFTP from the command line to a real sshd and back.
    @Suite struct SFTPTests {
        @Test func `a file goes to a server and comes back, and memory does not follow its size`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let server = try await OpenSSHServer.start(in: directory)
                let sources = try directory.makeDirectory("sources")
                let size = Scale.pick(quick: 200 << 20, full: 5 << 30)
                try Sources.makeSparse("\(sources)/large", size: size)
                let installation = try Installation(
                    directory, general: ["source_dirs = \(sources)"],
                    sections: """
                        [origin server]
                        match = 127.0.0.1
                        known_hosts = \(server.knownHosts)
                        identity = \(server.clientKey)
                        """)
                let daemon = try await installation.startDaemon()
                let up = try await installation.enqueue("upload", "\(sources)/large", "\(server.url)/")
                try await installation.expectDone([up], within: .seconds(600))
                let down = try await installation.enqueue("download", "\(server.url)/large")
                try await installation.expectDone([down], within: .seconds(600))
                #expect(
                    TestFile.sha256("\(installation.downloads)/large") == TestFile.sha256("\(sources)/large"))
                Scale.report(
                    "peak memory of SFTP there and back: \(daemon.peakMemory) KiB with \(size) bytes")
                #expect(daemon.peakMemory < 60 << 10)
                try await daemon.sigterm()
                await server.stop()
            }
        }

        @Test func `the keys of an agent let in where the origin says so`() async throws {
            try await withTemporaryDirectory { directory in
                let server = try await OpenSSHServer.start(in: directory)
                let socket = directory.appending("agent")
                let agent = try ChildProcess.spawn(["ssh-agent", "-D", "-a", socket])
                try await eventually("the agent") { TestFile.exists(socket) }
                let added = try await ChildProcess.run(
                    ["ssh-add", "-q", server.clientKey], environment: ["SSH_AUTH_SOCK": socket])
                #expect(added.succeeded, "\(added.errorText)")
                let origin = """
                    [origin server]
                    match = 127.0.0.1
                    known_hosts = \(server.knownHosts)
                    """
                let source = try directory.write("hello", to: "greeting")
                let installation = try Installation(directory, sections: origin + "\nagent = yes")
                let daemon = try await installation.startDaemon(environment: ["SSH_AUTH_SOCK": socket])
                let job = try await installation.enqueue("upload", source, "\(server.url)/")
                try await installation.expectDone([job])
                #expect(TestFile.text("\(server.home)/greeting") == "hello")
                try await daemon.sigterm()
                await agent.terminate()
                await server.stop()
            }
        }
    }
}
