import Testing
import TransferModel

@testable import TransferCommand

@Suite("The command remote")
struct RemoteCommandSuite {
    private func asking(_ words: String...) throws -> RemoteAsking {
        let command = try Invocation((["remote"] + words).map { Array($0.utf8) }).command
        guard case .remote(.ask(let asking)) = command else { throw CommandError.usage("\(command)") }
        return asking
    }

    @Test func `each operation has its words`() throws {
        let url = RemoteAsking.Place.url(try TransferURL("ftp://h/a%20b"))
        #expect(try asking("ls", "ftp://h/a%20b") == RemoteAsking(operation: .list, place: url))
        #expect(try asking("ls", "-l", "ftp://h/a%20b").view.isLong)
        #expect(try asking("rm", "ftp://h/a%20b").operation == .remove)
        let path = try #require(FilePath("/c d"))
        #expect(try asking("mv", "ftp://h/a%20b", "/c d").operation == .rename(to: path))
        #expect(try asking("mkdir", "ftp://h/x", "-p").operation == .makeDirectory(withParents: true))
        #expect(try asking("rmdir", "sftp://h/x").operation == .removeDirectory)
        #expect(try asking("get", "ftps://h/x", "-o", "f").view.output == FilePath("f"))
        #expect(try asking("get", "ftps://h/x", "-o", "-").view.output == nil)
        let commands = ["SITE HELP", "NOOP"].compactMap { RemoteCommand(bytes: Array($0.utf8)) }
        #expect(try asking("quote", "ftp://h/", "SITE HELP", "NOOP").operation == .quote(commands))
        #expect(try asking("check", "--write", "camera").place == .route("camera"))
        #expect(try asking("check", "ftp://h/").operation == .check(writes: false))
        #expect(try asking("rm", "--queue", "ftp://h/x").isQueued)
    }

    @Test(arguments: [
        (["frob"], "none of ls, rm"), (["lss", "ftp://h/"], "did you mean 'ls'"), (["ls"], "takes URL"),
        (["mv", "ftp://h/x"], "takes URL NEWPATH"), (["ls", "gopher://h/"], "gopher"),
        (["rm", "ftp://h/../x"], "'..'"), (["rm", "ftp://h/x%0ay"], "control byte"),
        (["mv", "ftp://h/x", "../y"], "'..'"), (["mv", "ftp://h/x", "ftp://h/y"], "not an address"),
        (["mv", "ftp://h/x", "/"], "'.', '..'"), (["quote", "ftp://h/", "A\nB"], "control byte"),
        (["quote", "ftp://h/", ""], "empty"), (["get", "ftp://h/x", "-o", "d/"], "is a directory"),
        (["rm", "-p", "ftp://h/x"], "has no -p"), (["ls", "-l", "--json", "ftp://h/"], "together"),
        (["get", "--queue", "ftp://h/x", "-o", "f"], "'remote result ID'"),
        (["result", "x"], "not the number"),
    ])
    func `what makes no sense is refused`(words: [String], says: String) {
        let said: String?
        do {
            _ = try Invocation((["remote"] + words).map { Array($0.utf8) })
            said = nil
        } catch {
            said = error.description
        }
        #expect(said?.contains(says) == true, "\(said ?? "taken")")
    }

    @Test func `a long list is in columns, and what is not known is a dash`() {
        let entries = [
            ListedName.Entry(
                name: "a b", type: .file, size: 8_589_934_592, modified: "2031-05-28T14:30:05.123Z",
                permissions: "4755", owner: "anna", group: "lab"),
            ListedName.Entry(name: "d", type: .directory, permissions: "1777"),
            ListedName.Entry(name: "l\\x1b", type: .link, size: 1, target: "a b"),
        ]
        #expect(
            LongListing(entries).lines == [
                "-rwsr-xr-x  anna  lab  8589934592  2031-05-28 14:30:05  a b",
                "drwxrwxrwt  -     -             -  -                    d",
                "l?????????  -     -             1  -                    l\\x1b -> a b",
            ])
    }

    @Test func `a check shows facts, then advice, then a certificate`() {
        let facts: [CheckedFact] = [
            .fact(topic: "server", text: "ftp://h:21"), .advice("Do it."),
            .fact(topic: "key", text: "evil\u{9b}"), .certificate("-----BEGIN\nAAAA"),
        ]
        #expect(
            CheckView.lines(facts) == [
                "server  ftp://h:21", "key     evil\\xc2\\x9b", "", "* Do it.", "", "-----BEGIN", "AAAA",
            ])
    }
}
