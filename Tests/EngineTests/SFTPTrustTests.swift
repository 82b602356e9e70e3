import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct `Trust in an SFTP server and logins at it` {
    /// Asks the server for its home directory; the failure, if there is one.
    private func tried(_ rig: SFTPRig) async -> Failure? {
        await rig.failure { _ = try await $0.find([rig.path()], on: $1) }
    }

    private func start(
        _ directory: TemporaryDirectory, hostKeys: [OpenSSHServer.HostKey] = [.ed25519],
        login: OpenSSHServer.Login = .key
    ) async throws -> OpenSSHServer {
        try await OpenSSHServer.start(in: directory, hostKeys: hostKeys, login: login)
    }

    @Test func `an unknown key is refused with its fingerprint and the way to trust it`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory)
        let empty = try directory.write("", to: "empty")
        let fingerprint = try await server.fingerprint()
        for file in [empty, directory.appending("missing")] {
            let failure = await tried(
                try SFTPRig(server, in: directory) { $0.trust.knownHosts = FilePath(file) })
            #expect(failure?.class == .permanent && failure?.scope == .login)
            #expect(failure?.text.contains(fingerprint) == true, "\(failure?.text ?? "")")
            #expect(failure?.text.contains("[127.0.0.1]:\(server.port) ssh-ed25519 AAAA") == true)
        }
        await server.stop()
    }

    @Test func `a changed key is refused loudly`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory)
        let other = TestFile.text(server.clientPublicKey)
        let file = try directory.write("[127.0.0.1]:\(server.port) \(other)", to: "changed")
        let failure = await tried(
            try SFTPRig(server, in: directory) { $0.trust.knownHosts = FilePath(file) })
        #expect(failure?.class == .permanent && failure?.scope == .login)
        #expect(failure?.text.contains("CHANGED") == true && failure?.text.contains("\(file):1") == true)
        await server.stop()
    }

    @Test func `a pinned fingerprint is trusted, and no other`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory)
        let fingerprint = try await server.fingerprint()
        let right = try SFTPRig(server, in: directory) { settings in
            settings.trust.knownHosts = nil
            settings.trust.hostKeys = ["SHA256:other", fingerprint]
        }
        #expect(await tried(right) == nil)
        let wrong = try SFTPRig(server, in: directory) { $0.trust.hostKeys = ["SHA256:other"] }
        #expect(await tried(wrong)?.text.contains(fingerprint) == true)
        await server.stop()
    }

    @Test func `a host is asked for the kind of key that it is known by, hashed or not`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory, hostKeys: [.ed25519, .ecdsa, .rsa])
        for kind in OpenSSHServer.HostKey.allCases {
            let line = "[127.0.0.1]:\(server.port) \(TestFile.text(server.hostPublicKey(kind)))"
            let file = try directory.write(line, to: "known-\(kind.rawValue)")
            #expect(
                await tried(try SFTPRig(server, in: directory) { $0.trust.knownHosts = FilePath(file) })
                    == nil)
            let hashed = try await ChildProcess.run(["ssh-keygen", "-q", "-H", "-f", file])
            #expect(hashed.succeeded, "\(hashed.errorText)")
            #expect(TestFile.text(file).hasPrefix("|1|"))
            #expect(
                await tried(try SFTPRig(server, in: directory) { $0.trust.knownHosts = FilePath(file) })
                    == nil)
        }
        await server.stop()
    }

    @Test(arguments: ["ed25519", "rsa", "ecdsa"])
    func `a key of any kind lets in, with a passphrase too`(kind: String) async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory)
        for (name, passphrase) in [("plain", ""), ("locked", "open sesame")] {
            let key = directory.appending("\(name)-\(kind)")
            let made = try await ChildProcess.run([
                "ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-f", key,
            ])
            #expect(made.succeeded, "\(made.errorText)")
            try TestFile.write(TestFile.read("\(key).pub"), to: server.authorizedKeys)
            let login = CredentialsTable.Login.credentials(
                Credentials(user: server.user, password: "open sesame"))
            let rig = try SFTPRig(server, in: directory, login: login) { $0.trust.identity = FilePath(key) }
            #expect(await tried(rig) == nil)
            guard !passphrase.isEmpty else { continue }
            let without = try SFTPRig(server, in: directory) { $0.trust.identity = FilePath(key) }
            #expect(await tried(without)?.text.contains("passphrase") == true)
        }
        await server.stop()
    }

    @Test func `a key that the server does not know is refused, with what it was shown`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory)
        try TestFile.write([], to: server.authorizedKeys)
        let failure = await tried(try SFTPRig(server, in: directory))
        #expect(failure?.class == .permanent && failure?.scope == .login)
        #expect(failure?.text.contains("permission denied") == true, "\(failure?.text ?? "")")
        #expect(
            failure?.text.contains(server.clientKey) == true && failure?.text.contains("publickey") == true)
        await server.stop()
    }

    @Test func `a key that others may read is not used`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory)
        #expect(chmod(server.clientKey, 0o640) == 0)
        let failure = await tried(try SFTPRig(server, in: directory))
        #expect(failure?.class == .permanent && failure?.scope == .login)
        #expect(failure?.text.contains("(mode 0640); close it with: chmod 600") == true)
        await server.stop()
    }

    @Test func `an agent that has no key for the server leaves to say what the server takes`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory)
        let failure = await tried(
            try SFTPRig(server, in: directory) {
                $0.trust.identity = nil
                $0.trust.usesAgent = true
            })
        #expect(failure?.class == .permanent && failure?.scope == .login)
        #expect(
            failure?.text.contains("takes publickey and was shown what keys the agent has") == true,
            "\(failure?.text ?? "")")
        await server.stop()
    }

    @Test(.enabled(if: OpenSSHServer.canTakePasswords))
    func `the password lets in after an agent that has no key for the server`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory, login: .password)
        let login = CredentialsTable.Login.credentials(
            Credentials(user: server.user, password: server.password))
        let rig = try SFTPRig(server, in: directory, login: login) {
            $0.trust.identity = nil
            $0.trust.usesAgent = true
        }
        let failure = await tried(rig)
        #expect(failure == nil, "\(failure?.text ?? "")")
        await server.stop()
    }

    @Test func `without a key, an agent or a password nothing is connected`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory)
        await server.stop()
        let failure = await tried(try SFTPRig(server, in: directory) { $0.trust.identity = nil })
        #expect(failure?.class == .permanent && failure?.scope == .login)
        #expect(failure?.text.contains("identity") == true && failure?.text.contains("agent = yes") == true)
        let missing = await tried(try SFTPRig(server, in: directory))
        #expect(missing?.class == .temporary && missing?.scope == .origin, "\(missing?.text ?? "")")
    }

    @Test(.enabled(if: OpenSSHServer.canTakePasswords))
    func `the password lets in, and a wrong one is shown once`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await start(directory, login: .password)
        for (password, isRight) in [(server.password, true), ("wrong", false)] {
            let login = CredentialsTable.Login.credentials(Credentials(user: server.user, password: password))
            let rig = try SFTPRig(server, in: directory, login: login) { $0.trust.identity = nil }
            let failure = await tried(rig)
            #expect((failure == nil) == isRight, "\(failure?.text ?? "")")
            guard !isRight else { continue }
            #expect(failure?.class == .permanent && failure?.scope == .login)
            #expect(failure?.text.contains("wrong") == false)
            let log = TestFile.text(server.process.output)
            #expect(log.split(separator: "\n").count { $0.contains("Failed password") } == 1, "\(log)")
        }
        await server.stop()
    }

    @Test func `a server that is crowded is away for now`() async throws {
        let directory = try TemporaryDirectory()
        let server = try await OpenSSHServer.start(in: directory, extra: ["PerSourceMaxStartups 1"])
        // A connection that says nothing takes the only place, unless another had it in that moment.
        var idle: [IdleConnection] = []
        let failure = try await eventually("the place is taken") {
            idle.append(try IdleConnection(to: server.port))
            return await tried(try SFTPRig(server, in: directory))
        }
        #expect(failure.class == .temporary && failure.scope == .origin, "\(failure.text)")
        withExtendedLifetime(idle) {}
        await server.stop()
    }
}

@Suite struct `The way to an SFTP server` {
    @Test(arguments: [ScriptedProxy.Kind.socks5, .http])
    func `leads through a proxy`(kind: ScriptedProxy.Kind) async throws {
        let directory = try TemporaryDirectory()
        let server = try await OpenSSHServer.start(in: directory)
        let proxy = try ScriptedProxy(kind)
        let rig = try SFTPRig(server, in: directory) { settings in
            settings.path.proxy = ProxyAddress(
                scheme: kind == .http ? .http : .socks5, host: "127.0.0.1", port: Int(proxy.port))
        }
        try await rig.store(.pattern(300_000), at: rig.path("x"))
        #expect(TestFile.sha256("\(server.home)/x") == TestContent.pattern(300_000).sha256)
        #expect(proxy.wishes.map(\.port) == [server.port])
        await server.stop()
    }

    @Test(arguments: [ScriptedProxy.Kind.socks5, .http])
    func `is closed for now where the proxy refuses`(kind: ScriptedProxy.Kind) async throws {
        let directory = try TemporaryDirectory()
        let server = try await OpenSSHServer.start(in: directory)
        let proxy = try ScriptedProxy(kind) { _, _ in .refuse(kind == .http ? 503 : 4) }
        let rig = try SFTPRig(server, in: directory) { settings in
            settings.path.proxy = ProxyAddress(
                scheme: kind == .http ? .http : .socks5, host: "127.0.0.1", port: Int(proxy.port))
        }
        let failure = await rig.failure { _ = try await $0.find([rig.path()], on: $1) }
        #expect(failure?.class == .temporary && failure?.scope == .origin, "\(failure?.text ?? "")")
        await server.stop()
    }
}
