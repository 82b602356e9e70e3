import TestServers
import Testing

/// The servers that the other tests stand on, tried with the curl program.
@Suite struct ServerSmokeTests {
    private let content = TestContent.pattern(300_000, seed: 7)

    private func curl(_ arguments: String...) async throws -> ChildProcess.Completed {
        try await ChildProcess.run(["curl", "-sS", "--max-time", "30"] + arguments)
    }

    @Test(arguments: [VsftpdServer.TLS.off, .explicit, .implicit])
    func `vsftpd stores, renames and gives back what curl uploads`(tls: VsftpdServer.TLS) async throws {
        try await withTemporaryDirectory { directory in
            let server = try await VsftpdServer.start(in: directory, tls: tls)
            let source = directory.appending("source")
            try TestFile.write(content, to: source)
            let url = tls == .implicit ? "ftps://127.0.0.1:\(server.port)" : server.url
            let secure =
                tls == .off
                ? [] : ["--ssl-reqd", "--tls-max", "1.2", "--cacert", directory.appending("tls/ca.pem")]
            let sent = try await ChildProcess.run(
                ["curl", "-sS", "--max-time", "30", "--ftp-create-dirs"] + secure + [
                    "-T", source, "\(url)/deep/er/part", "-Q", "-RNFR part", "-Q", "-RNTO whole #1",
                ])
            #expect(sent.succeeded, "\(sent.errorText) \(TestFile.text(server.log))")
            #expect(TestFile.sha256("\(server.home)/deep/er/whole #1") == content.sha256)
            let back = try await ChildProcess.run(
                ["curl", "-sS", "--max-time", "30"] + secure + ["\(url)/deep/er/whole%20%231"])
            #expect(sha256(back.output) == content.sha256, "\(back.errorText)")
        }
    }

    @Test(arguments: [ProftpdServer.TLS.off, .explicit, .implicit])
    func `proftpd stores and appends what curl uploads with a password`(tls: ProftpdServer.TLS) async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ProftpdServer.start(in: directory, tls: tls)
            let source = directory.appending("source")
            try TestFile.write(content, to: source)
            let netrc = try directory.write(
                "machine 127.0.0.1 login \(server.user) password \"\(server.password)\"\n", to: "netrc")
            let url =
                tls == .implicit ? "ftps://127.0.0.1:\(server.port)/x" : "ftp://127.0.0.1:\(server.port)/x"
            let secure =
                tls == .off
                ? [] : ["--ssl-reqd", "--tls-max", "1.2", "--cacert", directory.appending("tls/ca.pem")]
            for _ in 0..<2 {
                let sent = try await ChildProcess.run(
                    ["curl", "-sS", "--max-time", "30", "--netrc-file", netrc] + secure + [
                        "-a", "-T", source, url,
                    ])
                #expect(sent.succeeded, "\(sent.errorText) \(TestFile.text(server.log))")
            }
            #expect(TestFile.size("\(server.home)/x") == 600_000)
        }
    }

    @Test(.enabled(if: PureFTPdServer.isPossible), arguments: [PureFTPdServer.TLS.off, .explicit])
    func `pure-ftpd stores and renames what curl uploads with a password`(
        tls: PureFTPdServer.TLS
    ) async throws {
        try await withTemporaryDirectory { directory in
            let server = try await PureFTPdServer.start(in: directory, tls: tls)
            try await expectUpload(
                directory, port: server.port, home: server.home, user: server.user, password: server.password,
                secure: tls == .explicit)
        }
    }

    @Test func `pyftpdlib stores and renames what curl uploads with a password`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await PyftpdlibServer.start(in: directory)
            try await expectUpload(
                directory, port: server.port, home: server.home, user: server.user, password: server.password,
                secure: false)
        }
    }

    /// Not by curl: since 7.87 it greets on the data connection before STOR, and pyftpdlib then ends that one. By TLS
    /// 1.2: with 1.3 lftp, too, closes before it has read the tickets, and the file is cut.
    @Test func `pyftpdlib demands TLS and stores what lftp uploads`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await PyftpdlibServer.start(in: directory, tls: .explicit)
            let source = directory.appending("source")
            try TestFile.write(content, to: source)
            for secure in [false, true] {
                let script = """
                    set net:max-retries 1; set ssl:priority NORMAL:-VERS-TLS1.3; set ftp:ssl-allow \(secure); set ftp:ssl-force \(secure)
                    set ssl:ca-file \(directory.appending("tls/ca.pem"))
                    open -u \(server.user),'\(server.password)' ftp://127.0.0.1:\(server.port)
                    put \(source) -o arrived; bye
                    """
                let sent = try await ChildProcess.run(["lftp", "-c", script])
                #expect(sent.succeeded == secure, "\(sent.errorText)")
            }
            #expect(TestFile.sha256("\(server.home)/arrived") == content.sha256)
        }
    }

    /// Uploads below a new directory and renames; a server that demands TLS takes nothing without.
    private func expectUpload(
        _ directory: TemporaryDirectory, port: UInt16, home: String, user: String, password: String,
        secure: Bool
    ) async throws {
        let source = directory.appending("source")
        try TestFile.write(content, to: source)
        let netrc = try directory.write(
            "machine 127.0.0.1 login \(user) password \"\(password)\"\n", to: "netrc")
        let upload = [
            "curl", "-sS", "--max-time", "30", "--netrc-file", netrc, "--ftp-create-dirs", "-T", source,
            "ftp://127.0.0.1:\(port)/deep/er/.part", "-Q", "-RNFR .part", "-Q", "-RNTO whole #1",
        ]
        if secure { #expect(!(try await ChildProcess.run(upload).succeeded)) }
        let trust =
            secure ? ["--ssl-reqd", "--tls-max", "1.2", "--cacert", directory.appending("tls/ca.pem")] : []
        let sent = try await ChildProcess.run(upload + trust)
        #expect(sent.succeeded, "\(sent.errorText)")
        #expect(TestFile.sha256("\(home)/deep/er/whole #1") == content.sha256)
    }

    @Test(arguments: [false, true])
    func `nginx answers a range with 206 and an ETag`(tls: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let server = try await NginxServer.start(in: directory, tls: tls)
            try TestFile.write(content, to: "\(server.home)/file")
            let trust = tls ? directory.appending("tls/ca.pem") : "/etc/ssl/certs/ca-certificates.crt"
            let got = try await curl("--cacert", trust, "-i", "-r", "100000-", "\(server.url)/file")
            #expect(got.succeeded, "\(got.errorText)")
            let head = String(decoding: got.output.prefix(400), as: UTF8.self)
            #expect(head.hasPrefix("HTTP/1.1 206") && head.contains("ETag: \""))
            #expect(sha256(Array(got.output.suffix(200_000))) == content.slice(100_000..<300_000).sha256)
        }
    }

    @Test func `PHP writes down the fields and files of a form in their order`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await PHPServer.start(in: directory)
            let source = directory.appending("source")
            try TestFile.write(content, to: source)
            let sent = try await curl(
                "-H", "Idempotency-Key: abc", "-F", "f[]=a", "-F", "z=@x", "-F", "f[]=b", "--form-string",
                "q=<y",
                "-F", "up=@\(source);filename=n\"1.bin;type=text/plain", "\(server.url)/in?status=201")
            #expect(sent.succeeded == false, "curl takes z=@x for a file that is not there")
            let again = try await curl(
                "-H", "Idempotency-Key: abc", "-F", "f[]=a", "-F", "f[]=b", "--form-string", "q=@y", "-F",
                "up=@\(source);filename=n'1.bin;type=text/plain", "\(server.url)/in?status=201")
            #expect(again.succeeded, "\(again.errorText)")
            let request = try #require(try server.requests().first)
            #expect(request.headers["idempotency-key"] == "abc")
            #expect(
                request.fields == [
                    .init(name: "f[0]", value: "a"), .init(name: "f[1]", value: "b"),
                    .init(name: "q", value: "@y"),
                ])
            #expect(request.files.map(\.sha256) == [content.sha256])
            #expect(request.files.map(\.name) == ["n'1.bin"])
        }
    }

    @Test func `sshd takes an upload with the client key`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await OpenSSHServer.start(in: directory)
            let source = directory.appending("source")
            try TestFile.write(content, to: source)
            let batch = try directory.write("put \(source) \(server.home)/arrived\n", to: "batch")
            let sent = try await ChildProcess.run([
                "sftp", "-q", "-b", batch, "-P", String(server.port), "-i", server.clientKey, "-o",
                "UserKnownHostsFile=\(server.knownHosts)", "-o", "StrictHostKeyChecking=yes",
                "\(server.user)@127.0.0.1",
            ])
            #expect(sent.succeeded, "\(sent.errorText) \(TestFile.text(server.process.output))")
            #expect(TestFile.sha256("\(server.home)/arrived") == content.sha256)
        }
    }

    @Test(arguments: OpenSSHServer.HostKey.allCases)
    func `sshd shows the host key that it was started with`(kind: OpenSSHServer.HostKey) async throws {
        try await withTemporaryDirectory { directory in
            let server = try await OpenSSHServer.start(in: directory, hostKeys: [kind])
            let shown = try await ChildProcess.run(["ssh-keyscan", "-p", "\(server.port)", "127.0.0.1"])
            let expected = TestFile.text(server.hostPublicKey(kind)).split(separator: " ")[1]
            #expect(shown.text.contains(expected), "\(shown.errorText)")
            #expect(try await server.fingerprint(kind).count == 50)
        }
    }

    @Test(.enabled(if: OpenSSHServer.canTakePasswords))
    func `sshd takes the password and no other`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await OpenSSHServer.start(in: directory, login: .password)
            let fingerprint = try await server.fingerprint().dropFirst("SHA256:".count)
            for (password, expected) in [(server.password, true), ("wrong", false)] {
                let netrc = try directory.write(
                    "machine 127.0.0.1 login \(server.user) password \"\(password)\"\n", to: "netrc")
                let done = try await curl(
                    "--netrc-file", netrc, "--hostpubsha256", String(fingerprint),
                    "sftp://127.0.0.1:\(server.port)/~/")
                #expect(
                    done.succeeded == expected, "\(done.errorText) \(TestFile.text(server.process.output))")
            }
        }
    }

    @Test func `a stopped server refuses connections and answers again after its restart`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await NginxServer.start(in: directory)
            await server.stop()
            #expect(!Loopback.answers(server.port))
            try await server.process.restart()
            #expect(Loopback.answers(server.port))
        }
    }

    @Test func `the scripted FTP server works, and does as it is told`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try ScriptedFTPServer { command in
                command.verb == "STOR" && command.text == "half" ? .stores(atMost: 1000) : .right
            }
            let source = directory.appending("source")
            try TestFile.write(content, to: source)
            for name in ["whole", "half"] {
                let sent = try await curl("-T", source, "\(server.url)/\(name)")
                #expect(sent.succeeded, "\(sent.errorText)")
            }
            #expect(server.files["/whole"] == content.bytes)
            #expect(server.files["/half"]?.count == 1000)
            let back = try await curl("-C", "100000", "\(server.url)/whole")
            #expect(sha256(back.output) == content.slice(100_000..<300_000).sha256)
            #expect(server.lines.filter { $0.hasPrefix("STOR") } == ["STOR whole", "STOR half"])
            let listed = try await curl("\(server.url)/")
            #expect(listed.text.contains("300000 Jan 02 2024 whole"))
        }
    }

    @Test func `the scripted web server answers ranges, cuts, resets and remembers`() async throws {
        let whole = content
        let server = try ScriptedHTTPServer { request in
            switch request.target {
            case "/reset": return .resetAfterBody
            case "/cut":
                var behaviour = HTTPBehaviour.object(whole, for: request)
                behaviour.cutAfter = 1000
                behaviour.ending = .closes
                return behaviour
            case "/early":
                var behaviour = HTTPBehaviour.text("too large", status: 413)
                behaviour.reads = .first(0)
                behaviour.ending = .closes
                return behaviour
            default: return .object(whole, for: request, etag: "\"v1\"")
            }
        }
        let part = try await curl("-r", "10-99", "\(server.url)/file")
        #expect(part.output == whole.slice(10..<100).bytes)
        let cut = try await curl("\(server.url)/cut")
        #expect(cut.status == .exited(18) && cut.output.count == 1000)
        let reset = try await curl("-d", "a=b", "\(server.url)/reset")
        #expect(reset.status == .exited(56) || reset.status == .exited(52))
        let early = try await curl("-d", "a=b", "\(server.url)/early")
        #expect(early.text == "too large")
        #expect(server.requests.map(\.target) == ["/file", "/cut", "/reset", "/early"])
        #expect(server.requests[2].body == Array("a=b".utf8) && server.requests[2].isWhole)
    }

    @Test func `the relay passes everything on at its rate and cuts when told to`() async throws {
        let whole = content
        let server = try ScriptedHTTPServer { .object(whole, for: $0) }
        let relay = try ScriptedRelay(to: server.port, bytesPerSecond: 1_000_000)
        let got = try await curl("http://127.0.0.1:\(relay.port)/file")
        #expect(sha256(got.output) == whole.sha256)
        #expect(relay.connections == 1)
    }

    @Test func `a program that is killed says so`() async throws {
        let child = try ChildProcess.spawn(["sleep", "100"])
        child.signal(9)
        #expect(try await child.exitStatus(within: .seconds(5)) == .killed(signal: 9))
    }
}
