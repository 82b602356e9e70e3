import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferConfiguration

@Suite struct CheckTests {
    private let directory: TemporaryDirectory
    private var settings: Settings

    init() throws {
        directory = try TemporaryDirectory(label: "check")
        let state = try #require(FilePath(directory.appending("state")))
        settings = Settings(places: Places(below: state), general: .init(), origins: [], routes: [])
    }

    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) ?? .root }

    private func findings(_ environment: [String: String] = [:]) -> [String] {
        ConfigurationCheck.run(settings, environment: environment)
            .map { $0.description.replacing(directory.path, with: "DIR") }
    }

    private func route(_ name: String, _ url: String) throws -> RouteSettings {
        RouteSettings(name: name, kind: .upload, url: try TransferURL(url))
    }

    @Test func `directories that can be made may be missing, and none is made`() {
        #expect(findings() == [])
        #expect(access(directory.appending("state"), F_OK) != 0)
    }

    @Test mutating func `a route whose address is a file's is warned of`() throws {
        settings.routes = [try route("one", "ftp://h/in"), try route("all", "ftp://h/in/")]
        #expect(
            findings() == [
                "warning: url of [route one]: every file goes to the one name ftp://h/in; a directory ends in '/'"
            ])
    }

    @Test func `what the daemon keeps for itself is made before it starts`() throws {
        #expect(try ConfigurationCheck.prepare(settings, environment: [:]) == [])
        for name in ["state", "state/spool", "state/downloads"] {
            var status = stat()
            #expect(stat(directory.appending(name), &status) == 0)
            #expect(status.st_mode == S_IFDIR | 0o2770)
        }
    }

    @Test mutating func `without a spool nothing starts, with a broken download directory the rest does`()
        throws
    {
        try directory.write("x", to: "file")
        settings.places.downloadDirectories = [path("file/downloads")]
        #expect(try ConfigurationCheck.prepare(settings, environment: [:]).map(\.isError) == [true])
        settings.places.spool = path("file/spool")
        let finding = #expect(throws: Finding.self) {
            try ConfigurationCheck.prepare(settings, environment: [:])
        }
        #expect(finding?.sentence.hasPrefix("spool_dir: directory ") == true)
    }

    @Test mutating func `a file in place of a directory and a missing source directory are errors`() throws {
        try directory.write("x", to: "state")
        settings.places.sourceDirectories = [path("none")]
        settings.places.downloadDirectories = [path("state/deeper")]
        settings.places.spool = path("spool")
        #expect(
            findings() == [
                "error: state_dir: directory 'DIR/state' is not a directory",
                "error: download_dirs: directory 'DIR/state/deeper' is not a directory",
                "error: source_dirs: directory 'DIR/none' does not exist",
            ])
    }

    @Test mutating func `a directory that can't be written to is an error with the unit's drop-in line`()
        throws
    {
        settings.places.sourceDirectories = [try #require(FilePath("/srv/none"))]
        // A directory of the kernel's that nobody can write to, root neither.
        settings.places.downloadDirectories = [try #require(FilePath("/proc/sys/kernel/x"))]
        let found = findings(["NOTIFY_SOCKET": "/run/x"])
        #expect(found.count == 2)
        #expect(
            found[0].hasSuffix(
                "; add 'ReadWritePaths=/proc/sys/kernel/x' to a drop-in: systemctl edit transferd"))
        #expect(found[1] == "error: source_dirs: directory '/srv/none' does not exist")
    }

    @Test func `the unit's sandbox names the line that opens a directory, until a drop-in does`() throws {
        let dropIns = try directory.makeDirectory("transferd.service.d")
        var settings = settings
        settings.places = Places(below: Places.defaultState)
        func line(_ path: String, _ need: DirectoryCheck.Need) -> String? {
            UnitSandbox(settings, environment: [:], dropIns: FilePath(dropIns) ?? .root)
                .line(for: FilePath(path) ?? .root, need)
        }
        #expect(line("/var/lib/transferd/spool", .write) == nil)
        #expect(line("/srv/cam", .write) == "ReadWritePaths=/srv/cam")
        #expect(line("/srv/cam", .read) == nil)
        #expect(line("/home/eve/in", .write) == "BindPaths=/home/eve/in")
        #expect(line("/tmp/in", .read) == "BindReadOnlyPaths=/tmp/in")
        try directory.write(
            "[Service]\nReadWritePaths=/srv\nBindPaths=-/home/eve:/home/eve\n",
            to: "transferd.service.d/a.conf")
        #expect(line("/srv/cam", .write) == nil)
        #expect(line("/home/eve/in", .write) == nil)
        #expect(line("/tmp/in", .read) == "BindReadOnlyPaths=/tmp/in")
    }

    @Test mutating func `a CA file must be there and hold a certificate`() throws {
        try directory.write("nothing", to: "empty.pem")
        try directory.write("-----BEGIN CERTIFICATE-----\n", to: "good.pem")
        settings.origins = ["empty.pem", "good.pem", "none.pem"].map { name in
            var origin = OriginSettings(name: name)
            origin.trust.caFile = path(name)
            return origin
        }
        #expect(
            findings() == [
                "error: ca_file of [origin empty.pem]: 'DIR/empty.pem' holds no certificate in PEM form",
                "error: ca_file of [origin none.pem]: 'DIR/none.pem' can't be read: No such file or directory",
            ])
    }

    private mutating func origin(_ change: (inout OriginSettings) -> Void) {
        var origin = OriginSettings(name: "o")
        change(&origin)
        settings.origins = [origin]
    }

    @Test mutating func `private keys are refused when others may read them`() throws {
        let key = "-----BEGIN PRIVATE KEY-----\n"
        try directory.write("-----BEGIN CERTIFICATE-----\n", to: "c.pem")
        try directory.write(key, to: "open.key", mode: 0o640)
        try directory.write(key, to: "closed.key", mode: 0o600)
        try directory.write("-----BEGIN CERTIFICATE-----\n" + key, to: "both.pem", mode: 0o644)
        try directory.write("ssh-ed25519 AAAA", to: "id.pub", mode: 0o600)
        let good = path("closed.key")
        let open = path("open.key")
        let certificate = path("c.pem")
        origin {
            ($0.trust.clientCertificate, $0.trust.clientKey, $0.trust.identity) = (certificate, good, good)
        }
        #expect(findings() == [])
        origin {
            ($0.trust.clientCertificate, $0.trust.clientKey, $0.trust.identity) = (certificate, open, open)
        }
        let complaint =
            "of [origin o]: 'DIR/open.key' is open to others than its owner (mode 0640); "
            + "close it with: chmod 600 DIR/open.key"
        #expect(findings() == ["error: client_key \(complaint)", "error: identity \(complaint)"])
        #expect(findings(["CREDENTIALS_DIRECTORY": directory.path]) == [])
        let publicKey = path("id.pub")
        let both = path("both.pem")
        origin { ($0.trust.clientCertificate, $0.trust.identity) = (both, publicKey) }
        #expect(
            findings() == [
                "error: client_certificate of [origin o]: 'DIR/both.pem' is open to others than its owner (mode 0644); "
                    + "close it with: chmod 600 DIR/both.pem (there is no client_key)",
                "error: identity of [origin o]: 'DIR/id.pub' holds no private key in PEM form",
            ])
    }

    @Test mutating func `a client's key must have no passphrase, a key to log in with may`() throws {
        try directory.write("-----BEGIN CERTIFICATE-----\n", to: "c.pem")
        try directory.write("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", to: "k.pem", mode: 0o600)
        let certificate = path("c.pem")
        let key = path("k.pem")
        origin {
            ($0.trust.clientCertificate, $0.trust.clientKey, $0.trust.identity) = (certificate, key, key)
        }
        #expect(
            findings() == [
                "error: client_key of [origin o]: 'DIR/k.pem' has a passphrase, which nobody is there to type; "
                    + "take it off with: openssl pkey"
            ])
    }

    @Test mutating func `a known_hosts file must be readable, old TLS and a missing agent are warnings`() {
        let none = path("none")
        origin { origin in
            origin.trust.knownHosts = none
            origin.trust.tlsMinimum = .tls10
            origin.trust.usesAgent = true
        }
        let found = findings()
        #expect(found.count == 3)
        #expect(
            found[0]
                == "error: known_hosts of [origin o]: 'DIR/none' can't be read: No such file or directory")
        #expect(found[1].hasPrefix("warning: tls_min of [origin o]: TLS 1.0 can be broken"))
        #expect(found[2].hasPrefix("warning: agent of [origin o]: SSH_AUTH_SOCK is not set"))
        #expect(findings(["SSH_AUTH_SOCK": "/run/agent"]).count == 2)
    }

    @Test mutating func `an SFTP route to a server whose host key nobody knows is a warning`() throws {
        settings.routes = [try route("r", "sftp://h/")]
        origin { $0.matches = [OriginPattern(host: "h")] }
        let hosts = path("known_hosts")
        settings.origins[0].trust.knownHosts = hosts
        #expect(findings().contains { $0.hasPrefix("warning: [route r]: no host key of 'h' is known;") })
        try directory.write("h ssh-ed25519 AAAA\n", to: "known_hosts")
        #expect(findings() == [])
        settings.origins[0].trust.knownHosts = path("other")
        settings.origins[0].trust.hostKeys = ["SHA256:x"]
        #expect(findings().allSatisfy { !$0.contains("[route r]") })
    }

    @Test mutating func `a user without a password and a password in clear are warnings`() throws {
        try directory.makeDirectory("state")
        try directory.write("machine a login bob password x\n", to: "state/netrc", mode: 0o600)
        settings.routes = [
            try route("one", "ftp://bob@a/"), try route("two", "sftp://eve@a/"),
            try route("three", "ftp://a/"),
        ]
        settings.origins = [OriginSettings(name: "a", matches: [OriginPattern(host: "a")])]
        settings.origins[0].trust.hostKeys = ["SHA256:x"]
        let found = findings()
        #expect(found.count == 2)
        #expect(found[0].hasPrefix("warning: [route two]: the credentials file has no entry for 'eve' at a;"))
        #expect(found[1].hasPrefix("warning: the password goes over the network in clear"))
        #expect(found[1].contains("([route one])"))
        settings.routes[0].tls = .require
        #expect(findings().count == 1)
        settings.origins[0].trust.usesAgent = true
        #expect(findings(["SSH_AUTH_SOCK": "/run/agent"]) == [])
    }

    @Test mutating func `a credentials file that can't be used is an error`() throws {
        try directory.makeDirectory("state")
        try directory.write("machine a login bob password geheim\n", to: "state/netrc", mode: 0o640)
        let found = findings()
        #expect(found.count == 1)
        #expect(found[0].hasPrefix("error: DIR/state/netrc: the credentials file is open to others"))
    }
}
