import Glibc
import TestServers
import Testing
import TransferConfiguration
import TransferModel

@Suite struct CredentialsTests {
    private func load(
        _ text: String, mode: UInt32 = 0o600,
        environment: (TemporaryDirectory) -> [String: String] = { _ in [:] }
    ) throws -> CredentialsTable {
        let directory = try TemporaryDirectory(label: "credentials")
        try directory.write(text, to: "netrc", mode: 0o600)
        chmod(directory.appending("netrc"), mode)
        let state = try #require(FilePath(directory.path))
        let settings = Settings(places: Places(below: state), general: .init(), origins: [], routes: [])
        return try CredentialsFile.load(for: settings, environment: environment(directory))
    }

    private func sentence(_ text: String, mode: UInt32 = 0o600) -> String {
        let problems = #expect(throws: ConfigurationProblems.self) { try load(text, mode: mode) }
        let problem = problems?.problems.first
        return problem.map { "\($0.place.line): \($0.sentence)" } ?? ""
    }

    @Test func `entries are read, over lines, quoted, with ports, comments and macros around them`() throws {
        let table = try load(
            #"""
            # all of them
            machine a.example login bob password p1 # trailing
            machine B.example:2121
                login "bob \"the\" \\ builder"
                password #not-a-comment
            machine [2001:db8::1]:22 account x password "two words" login eve
            macdef init
            machine c.example login x password y

            machine c.example login carl password "" 
            """#)
        let entries = table.entries.map { entry in
            "\(entry.host) \(entry.port ?? 0) \(entry.credentials.user)|\(entry.credentials.password)"
        }
        #expect(
            entries == [
                "a.example 0 bob|p1", #"b.example 2121 bob "the" \ builder|#not-a-comment"#,
                "2001:db8::1 22 eve|two words", "c.example 0 carl|",
            ])
    }

    @Test(arguments: [
        (
            "machine h login u password geheim wort",
            "1: expected 'machine', 'login' or 'password' here; a value with blanks stands in double quotes"
        ),
        (
            "\ndefault login u password geheim",
            "2: 'default' is not taken: it would send a password to any host; write 'machine HOST'"
        ),
        ("machine h login u", "1: expected 'password …' for 'machine h'"),
        ("machine h password geheim", "1: expected 'login USER' for 'machine h'"),
        ("login u password geheim", "1: expected 'machine HOST' before 'login'"),
        ("machine h login u password", "1: expected a value after 'password'"),
        ("machine h login u password \"geheim", "1: expected a '\"' that closes the quotes in the same line"),
        ("machine h login u password geheim\u{1}", "1: expected a word without control bytes"),
        ("machine ftp://h login u password geheim", "1: expected HOST or HOST:PORT after 'machine'"),
        ("machine h login u login geheim", "1: expected one 'login' for 'machine h', found a second"),
        (
            "machine h login u password geheim\nmachine H login u password x",
            "2: two entries above are for the same machine and login; expected one"
        ),
    ])
    func `a mistake is named with its line and never with a password`(text: String, problem: String) {
        let found = sentence(text)
        #expect(found == problem)
        #expect(!found.contains("geheim"))
    }

    @Test(arguments: [0o640, 0o604, 0o610, 0o660] as [UInt32])
    func `a file that others may touch is refused with the command that helps`(mode: UInt32) {
        let found = sentence("machine h login u password geheim", mode: mode)
        #expect(found.contains("(mode 0\(String(mode, radix: 8)))"))
        #expect(found.contains("chmod 600 /"))
    }

    @Test func `the service manager's file comes first and is taken as it is, unless it has no entry`() throws
    {
        let text = "machine h login state password x"
        func user(_ credential: String) throws -> String? {
            try load(text) { directory in
                _ = try? directory.makeDirectory("credentials")
                _ = try? directory.write(credential, to: "credentials/netrc", mode: 0o644)
                return ["CREDENTIALS_DIRECTORY": directory.appending("credentials")]
            }.entries.first?.credentials.user
        }
        #expect(try user("machine h login service password y") == "service")
        #expect(try user("#") == "state")
    }

    @Test func `the file that the configuration names is the only one`() throws {
        let directory = try TemporaryDirectory(label: "credentials")
        try directory.write("machine h login u password x", to: "netrc", mode: 0o600)
        let state = try #require(FilePath(directory.path))
        var settings = Settings(places: Places(below: state), general: .init(), origins: [], routes: [])
        settings.general.netrc = FilePath(directory.appending("other"))
        let problems = #expect(throws: ConfigurationProblems.self) {
            try CredentialsFile.load(for: settings, environment: [:])
        }
        #expect(
            problems?.description == directory.appending("other")
                + ": the credentials file can't be read: No such file or directory")
    }

    @Test func `without any file there are no entries`() throws {
        let directory = try TemporaryDirectory(label: "credentials")
        let state = try #require(FilePath(directory.path))
        let settings = Settings(places: Places(below: state), general: .init(), origins: [], routes: [])
        #expect(try CredentialsFile.load(for: settings, environment: [:]).entries.isEmpty)
    }
}
