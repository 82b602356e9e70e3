import TestServers
import Testing

/// `transferctl remote check` where something is wrong.
@Suite struct RemoteCheckTests {
    private func installation(
        _ directory: TemporaryDirectory, netrc: String? = nil, _ section: String...
    ) throws -> Installation {
        let installation = try Installation(directory, sections: section.joined(separator: "\n"))
        if let netrc {
            try TestFile.write(Array("\(netrc)\n".utf8), to: "\(installation.state)/netrc", mode: 0o600)
        }
        return installation
    }

    @Test func `an untrusted server shows its certificate, and with it as its authority it is trusted`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try await VsftpdServer.start(in: directory, tls: .explicit)
            let section = ["[origin tested]", "match = 127.0.0.1", "tls = require"].joined(separator: "\n")
            let installation = try installation(directory, section)
            var daemon = try await installation.startDaemon()
            let refused = try await installation.control(["remote", "check", "\(server.url)/"])
            #expect(refused.status == .exited(1))
            #expect(refused.errorText.contains("not trusted"), "\(refused.errorText)")
            let certificate = TestFile.text(directory.appending("tls/server.pem"))
            let shown = try #require(refused.text.firstRange(of: "-----BEGIN"))
            let pem = String(refused.text[shown.lowerBound...])
            #expect(certificate.contains(pem), "\(pem)")
            let expected = try await ChildProcess.run([
                "openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in",
                directory.appending("tls/server.pem"),
            ])
            let fingerprint = try #require(expected.text.split(separator: "=").last).dropLast()
            #expect(refused.text.contains("SHA256 \(fingerprint)"), "\(refused.text)")
            #expect(!TestFile.text(server.log).contains("PASS"))
            // As the advice says.
            try TestFile.write(Array(pem.utf8), to: directory.appending("saved.pem"))
            try await daemon.sigterm()
            try installation.configure(sections: section + "\nca_file = \(directory.appending("saved.pem"))")
            daemon = try await installation.startDaemon()
            let trusted = try await installation.control(["remote", "check", "--write", "\(server.url)/"])
            #expect(trusted.succeeded, "\(trusted.text)\(trusted.errorText)")
            #expect(trusted.text.contains("resumed for the data connection"))
            try await daemon.sigterm()
            await server.stop()
        }
    }

    @Test func `a key that is not the pinned one is shown`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await VsftpdServer.start(in: directory, tls: .explicit)
            let installation = try installation(
                directory, "[origin tested]", "match = 127.0.0.1", "tls = require",
                "ca_file = \(directory.appending("tls/ca.pem"))",
                "pinned_key = sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            let daemon = try await installation.startDaemon()
            let done = try await installation.control(["remote", "check", "--json", "\(server.url)/"])
            #expect(done.status == .exited(1))
            #expect(
                done.text.contains(#""advice":"If the server's operator has changed its key"#), "\(done.text)"
            )
            try await daemon.sigterm()
            await server.stop()
        }
    }

    @Test func `a wrong password is told in the server's words, and the right one is tried at once`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let server = try await ProftpdServer.start(in: directory)
            let installation = try installation(
                directory, netrc: "machine 127.0.0.1 login \(server.user) password wrong")
            var daemon = try await installation.startDaemon()
            for _ in 0..<2 {
                let done = try await installation.control(["remote", "check", "\(server.url)/"])
                #expect(done.status == .exited(1))
                #expect(done.text.contains("greeting"))
                #expect(done.errorText.contains("530 Login incorrect"), "\(done.errorText)")
            }
            try await daemon.sigterm()
            try TestFile.write(
                Array("\(server.netrc)\n".utf8), to: "\(installation.state)/netrc", mode: 0o600)
            daemon = try await installation.startDaemon()
            let done = try await installation.control(["remote", "check", "\(server.url)/"])
            #expect(done.succeeded, "\(done.errorText)")
            #expect(done.text.contains("  as transfer\n"), "\(done.text)")
            try await daemon.sigterm()
            await server.stop()
        }
    }

    @Test func `a user without a password is not asked for one by the server`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer()
            let installation = try installation(directory)
            let daemon = try await installation.startDaemon()
            let url = "ftp://someone@127.0.0.1:\(server.port)/"
            let done = try await installation.control(["remote", "check", url])
            #expect(done.status == .exited(1))
            #expect(done.text.contains("greeting  Scripted server ready."), "\(done.text)")
            #expect(done.errorText.contains("no entry for someone@127.0.0.1"))
            #expect(!server.lines.contains { $0.hasPrefix("USER") || $0.hasPrefix("PASS") })
            try await daemon.sigterm()
        }
    }

    @Test func `a server that wants TLS, one without EPSV and a silent port get their advice`() async throws {
        try await withTemporaryDirectory { directory in
            let strict = try ScriptedFTPServer { command in
                command.verb == "USER" ? .replies("534 TLS is required here.") : .right
            }
            let old = try ScriptedFTPServer { command in
                command.verb == "EPSV" ? .replies("500 What?") : .right
            }
            let installation = try installation(directory)
            let daemon = try await installation.startDaemon()
            let first = try await installation.control(["remote", "check", "\(strict.url)/"])
            #expect(first.text.contains("put 'tls = require'"), "\(first.text)\(first.errorText)")
            let second = try await installation.control(["remote", "check", "\(old.url)/"])
            #expect(
                second.succeeded && second.text.contains("'epsv = no'"), "\(second.text)\(second.errorText)")
            let none = try await installation.control(["remote", "check", "ftp://127.0.0.1:1/"])
            #expect(none.status == .exited(5) && none.errorText.contains("connect"), "\(none.errorText)")
            let web = try await installation.control(["remote", "check", "https://127.0.0.1:1/"])
            #expect(web.status == .exited(5) && web.errorText.contains("connect"), "\(web.errorText)")
            try await daemon.sigterm()
        }
    }

    @Test func `a host key that nobody knows is shown with the line that trusts it`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await OpenSSHServer.start(in: directory)
            let section = "[origin tested]\nmatch = 127.0.0.1\nidentity = \(server.clientKey)"
            let installation = try installation(directory, section)
            var daemon = try await installation.startDaemon()
            let url = server.url + "/"
            let refused = try await installation.control(["remote", "check", url])
            let line = "host_key = \(try await server.fingerprint())"
            #expect(refused.status == .exited(1), "\(refused.text)\(refused.errorText)")
            #expect(refused.text.contains(try await server.fingerprint()), "\(refused.text)")
            #expect(refused.errorText.contains("set '\(line)'"), "\(refused.errorText)")
            try await daemon.sigterm()
            try installation.configure(sections: "\(section)\n\(line)")
            daemon = try await installation.startDaemon()
            let trusted = try await installation.control(["remote", "check", "--write", url])
            #expect(trusted.succeeded, "\(trusted.text)\(trusted.errorText)")
            try await daemon.sigterm()
            await server.stop()
        }
    }

    @Test func `a route is checked with its own settings`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await VsftpdServer.start(in: directory, tls: .explicit)
            let installation = try installation(
                directory, "[route camera]", "kind = upload", "url = \(server.url)/in/", "tls = require",
                "[origin tested]", "match = 127.0.0.1", "ca_file = \(directory.appending("tls/ca.pem"))")
            let daemon = try await installation.startDaemon()
            let done = try await installation.control(["remote", "check", "camera"])
            #expect(done.succeeded, "\(done.errorText)")
            #expect(done.text.contains("(AUTH TLS)"))
            // The route's directory is not there yet.
            let written = try await installation.control(["remote", "check", "--write", "camera"])
            #expect(written.status == .exited(1) && written.errorText.contains("553"), "\(written.errorText)")
            let unknown = try await installation.control(["remote", "check", "kamera"])
            #expect(unknown.status == .exited(2) && unknown.errorText.contains("no route 'kamera'"))
            try await daemon.sigterm()
            await server.stop()
        }
    }
}
