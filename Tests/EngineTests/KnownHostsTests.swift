import Testing
import TransferModel

@testable import TransferEngine

@Suite struct `Known hosts` {
    private let key = HostKey(type: "ssh-ed25519", base64: "AAAAkey1", fingerprint: "SHA256:one")
    private let other = HostKey(type: "ssh-rsa", base64: "AAAArsa", fingerprint: "SHA256:two")

    private func trust(
        _ text: String, host: String = "files.example", port: Int = 22, pins: [String] = []
    ) throws -> HostTrust {
        var hosts = KnownHosts()
        hosts.read(text, from: "FILE")
        return HostTrust(
            host: host, port: port, pins: pins, known: hosts.entries(for: host, port: port),
            file: try #require(FilePath("FILE")))
    }

    @Test(arguments: [
        "files.example ssh-ed25519 AAAAkey1", "FILES.example,10.0.0.1 ssh-ed25519 AAAAkey1 comment",
        "*.example ssh-ed25519 AAAAkey1", "f?les.*  ssh-ed25519\tAAAAkey1\r",
        "#files.example x y\n\nfiles.example ssh-rsa AAAAother\nfiles.example ssh-ed25519 AAAAkey1",
        // ssh-keygen -H made it of files.example.
        "|1|c2FsdHNhbHRzYWx0c2FsdHNhbHQ=|Wv9dd95yHZYSetjbH3+/y+j6ckY= ssh-ed25519 AAAAkey1",
    ])
    func `vouch for a key`(text: String) throws {
        #expect(try trust(text).verdict(on: key) == .trusted)
    }

    @Test(arguments: [
        "", "other.example ssh-ed25519 AAAAkey1", "*.example,!files.example ssh-ed25519 AAAAkey1",
        "[files.example]:22 ssh-ed25519 AAAAkey1", "@cert-authority *.example ssh-ed25519 AAAAkey1",
        "files.example ssh-ed25519", "|2|c2FsdA==|aGFzaA== ssh-ed25519 AAAAkey1",
    ])
    func `say nothing of a host`(text: String) throws {
        #expect(try trust(text).verdict(on: key) == .unknown)
    }

    @Test func `tell the ports of a host apart, but for one known by its bare name alone`() throws {
        let line = "[files.example]:2222 ssh-ed25519 AAAAkey1\n"
        #expect(try trust(line, port: 2222).verdict(on: key) == .trusted)
        #expect(try trust(line, port: 22).verdict(on: key) == .unknown)
        #expect(try trust(line, port: 2223).verdict(on: key) == .unknown)
        let bare = "files.example ssh-ed25519 AAAAkey1\n"
        #expect(try trust(bare, port: 2222).verdict(on: key) == .trusted)
        let both = bare + "[files.example]:2222 ssh-ed25519 AAAAother\n"
        #expect(try trust(both, port: 2222).verdict(on: key) == .changed(at: "FILE:2"))
    }

    @Test func `notice a key that changed or is revoked`() throws {
        #expect(
            try trust("x y z\nfiles.example ssh-ed25519 AAAAother").verdict(on: key) == .changed(at: "FILE:2")
        )
        #expect(try trust("files.example ssh-ed25519 AAAAkey1").verdict(on: other) == .changed(at: "FILE:1"))
        let revoked = "files.example ssh-ed25519 AAAAkey1\n@revoked * ssh-ed25519 AAAAkey1"
        #expect(try trust(revoked).verdict(on: key) == .revoked(at: "FILE:2"))
        #expect(try trust("@revoked * ssh-rsa AAAArsa").verdict(on: key) == .unknown)
    }

    @Test func `are not asked where a fingerprint is pinned`() throws {
        let line = "files.example ssh-ed25519 AAAAother"
        #expect(try trust(line, pins: ["SHA256:one"]).verdict(on: key) == .trusted)
        #expect(try trust(line, pins: ["SHA256:x", "SHA256:one="]).verdict(on: key) == .trusted)
        #expect(
            try trust("files.example ssh-ed25519 AAAAkey1", pins: ["SHA256:x"]).verdict(on: key) == .notPinned
        )
    }

    @Test func `have the server asked for a key of a known type first`() throws {
        #expect(
            try trust("files.example ssh-rsa AAAArsa").algorithms.prefix(3) == [
                "rsa-sha2-512", "rsa-sha2-256", "ssh-ed25519",
            ])
        #expect(try trust("").algorithms.first == "ssh-ed25519")
    }

    @Test func `name the fingerprint and the way out of a refusal`() throws {
        let unknown = try #require(try trust("", port: 2222).refusal(of: key))
        #expect(
            unknown.contains("SHA256:one") && unknown.contains("[files.example]:2222 ssh-ed25519 AAAAkey1"))
        #expect(unknown.contains("host_key = SHA256:one"))
        let changed = try #require(try trust("files.example ssh-ed25519 AAAAother").refusal(of: key))
        #expect(changed.contains("CHANGED") && changed.contains("FILE:1"))
        #expect(try trust("files.example ssh-ed25519 AAAAkey1").refusal(of: key) == nil)
    }
}
