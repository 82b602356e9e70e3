import Testing
import TransferConfiguration
import TransferModel

@testable import TransferCommand

@Suite("The command line")
struct InvocationSuite {
    @Test func `places are taken before and after the command, the last one counts`() throws {
        let both = try invocation("--state", "a", "status", "--config", "c", "--state=x/y")
        #expect(both.stateDirectory == FilePath("x/y"))
        #expect(both.configFile == FilePath("c"))
        #expect(both.command == .status(StatusQuery()))
    }

    @Test func `--state after status means a state where it names one`() throws {
        let invocation = try invocation(
            "--state", "dir", "status", "--state", "held,failed", "--state", "done")
        var query = StatusQuery()
        query.states = [.held, .failed, .done]
        #expect(invocation.stateDirectory == FilePath("dir"))
        #expect(invocation.command == .status(query))
        #expect(try refusal("status", "--state", "heldd").contains("none of the states"))
    }

    @Test func `options of status`() throws {
        var query = StatusQuery()
        query.ids = [JobID(rawValue: 7), JobID(rawValue: 3)]
        query.limit = nil
        query.route = "camera"
        query.host = "host"
        query.json = true
        query.watch = true
        let words = [
            "status", "7", "3", "7", "--route", "camera", "--origin", "ftp://u@HOST:2121", "--json",
            "--watch",
        ]
        #expect(try Invocation(words.map { Array($0.utf8) }).command == .status(query))
        #expect(try refusal("status", "--limit", "0").contains("above 0"))
    }

    @Test func `a directory and patterns are files of that directory`() throws {
        let order = Order.directory(
            try TransferURL("ftp://h/d/"), globs: ["*.csv", "x?"], to: .directory(try #require(FilePath("t")))
        )
        #expect(
            try invocation("enqueue", "download", "ftp://h/d/", "--glob", "*.csv", "--glob=x?", "-d", "t")
                .command
                == .enqueue(order, OrderOptions()))
        for (word, sentence) in [
            ("ftp://h/d", "one that ends in '/'"), ("ftp://h/../", "has '.', '..'"),
        ] {
            #expect(try refusal("enqueue", "download", word, "--glob", "*").contains(sentence))
        }
        #expect(
            try refusal("enqueue", "download", "ftp://h/d/", "ftp://h/e/", "--glob", "*").contains(
                "exactly one address"))
        #expect(try refusal("enqueue", "download", "ftp://h/d/", "--glob", "a/b").contains("without '/'"))
        #expect(
            try refusal("enqueue", "download", "ftp://h/d/", "--glob", "*", "-o", "x").contains(
                "use -d for a directory"))
        #expect(try refusal("enqueue", "upload", "a", "ftp://h/d/", "--glob", "*").contains("has no --glob"))
    }

    @Test func `an upload has files and then an address`() throws {
        let order = Order.upload(
            [.file(try #require(FilePath("a"))), .standardInput], to: try TransferURL("ftp://h/d/"))
        #expect(
            try invocation("enqueue", "upload", "a", "-", "ftp://h/d/").command
                == .enqueue(order, OrderOptions()))
        #expect(try invocation("enqueue", "upload", "--", "-a", "ftp://h/d/").command != .version)
        #expect(try refusal("enqueue", "upload", "ftp://h/d/").contains("at least one FILE"))
        #expect(try refusal("enqueue", "upload", "ftp://h/d/", "a").contains("comes last"))
        #expect(try refusal("enqueue", "upload", "a", "b", "ftp://h/d").contains("end 'ftp://h/d' in '/'"))
        let web = Order.upload([.file(try #require(FilePath("a")))], to: try TransferURL("https://h/d/?x=1"))
        #expect(
            try invocation("enqueue", "upload", "a", "https://h/d/?x=1").command
                == .enqueue(web, OrderOptions()))
        #expect(try refusal("enqueue", "upload", "a", "ftp://h/x%0d%0aDELE").contains("control byte"))
        for path in ["..", "../x", "a/../x", "./", "a%2Fb", "a/%2E%2E/"] {
            #expect(
                try refusal("enqueue", "upload", "a", "ftp://h/\(path)")
                    == "ftp://h/\(path) has '.', '..' or an encoded '/' as or in a name of its path")
        }
        #expect(try invocation("enqueue", "upload", "a", "ftp://h/%2Ftop/").command != .version)
        #expect(try refusal("enqueue", "download", "ftp://h/../x").contains("'..'"))
        #expect(try refusal("enqueue", "upload", "a", "ftp://h/", "-o", "x").contains("has no -o"))
    }

    @Test func `options say how an upload is put into place`() throws {
        let command = try invocation(
            "enqueue", "upload", "a", "ftp://h/", "--option", "on_conflict = skip", "--option=before=NOOP",
            "--option", "before=SITE X=Y"
        ).command
        var delivery = DeliveryWishes()
        delivery.onConflict = .skip
        delivery.before = [try NameTemplate("NOOP"), try NameTemplate("SITE X=Y")]
        var wishes = JobWishes()
        wishes.delivery = delivery
        let order = Order.upload(
            [.file(try #require(FilePath("a")))], to: try TransferURL("ftp://h/"), wishes)
        #expect(command == .enqueue(order, OrderOptions()))
        func refused(_ options: String..., url: String = "ftp://h/") throws -> String {
            let words = ["enqueue", "upload", "a", url] + options.flatMap { ["--option", $0] }
            let error = #expect(throws: CommandError.self) { try Invocation(words.map { Array($0.utf8) }) }
            return error?.description ?? ""
        }
        #expect(
            try refused("on_conflit=skip")
                == "--option 'on_conflit' is no key of an upload; did you mean 'on_conflict'?")
        #expect(try refused("temp_name={name}").contains("needs {id}"))
        #expect(try refused("temp_name=off", "on_conflict=fail").contains("exclude each other"))
        #expect(try refused("transfer_type=ascii", url: "sftp://h/").contains("SFTP sends byte for byte"))
        #expect(
            try refusal("enqueue", "download", "ftp://h/x", "--option", "verify=size").contains(
                "is no key of a download from ftp:"))
    }

    @Test func `a password in an address is refused with the place where it belongs`() throws {
        let sentence = try refusal("enqueue", "upload", "a", "ftp://user:secret@h/")
        #expect(sentence.contains("netrc"))
        #expect(!sentence.contains("secret"))
    }

    @Test func `the fields of a form keep the order of -F and --form-string`() throws {
        let command = try invocation(
            "enqueue", "form", "-F", "f[]=a", "https://h/x", "--form-string", "f[]=@b", "-F", "c=d", "-H",
            "X-A: 1",
            "--unknown", "retry"
        ).command
        let fields = [
            FormField(name: "f[]", content: .text("a")), FormField(name: "f[]", content: .text("@b")),
            FormField(name: "c", content: .text("d")),
        ]
        let header = try #require(HeaderField("X-A: 1"))
        let order = Order.form(try TransferURL("https://h/x"), fields, headers: [header], unknown: .retry)
        #expect(command == .enqueue(order, OrderOptions()))
        #expect(try refusal("enqueue", "form", "http://h/").contains("at least one -F"))
        #expect(
            try refusal("enqueue", "form", "http://h/", "-F", "a=b", "-H", "Host: x").contains(
                "sets it itself"))
        #expect(
            try refusal("enqueue", "form", "http://h/", "-F", "a=b", "-H", "x\r\n").contains(
                "not 'Name: value'"))
        #expect(
            try refusal("enqueue", "form", "http://h/", "-F", "a=b", "--unknown", "x").contains(
                "retry or hold"))
        #expect(try refusal("enqueue", "form", "ftp://h/", "-F", "a=b").contains("takes http://, https://"))
    }

    @Test func `a download has addresses and one place`() throws {
        let url = try TransferURL("https://h/x")
        let digest = "sha256:" + String(repeating: "aB", count: 32)
        var terms = DownloadTerms()
        terms.checksums = [try #require(Checksum(digest))]
        let order = Order.download([url], to: .file(try #require(FilePath("o"))), terms)
        #expect(
            try invocation("enqueue", "download", "https://h/x", "-oo", "--checksum", digest).command
                == .enqueue(order, OrderOptions()))
        #expect(try refusal("enqueue", "download", "http://h/x", "-o", "a", "-d", "b").contains("together"))
        #expect(try refusal("enqueue", "download", "http://h/x", "http://h/y", "-o", "a").contains("use -d"))
        #expect(try refusal("enqueue", "download", "http://h/x", "-o", "-").contains("standard output"))
        #expect(
            try refusal("enqueue", "download", "http://h/x", "--checksum", "md5:00").contains(
                "as many hexadecimal digits"))
        #expect(try invocation("enqueue", "download", "sftp://h/x").command != .version)
    }

    @Test func `what proves a download, and where else it is, stands beside its address`() throws {
        let sums = ["sha512:" + String(repeating: "1", count: 128), String(repeating: "2", count: 32)]
        var terms = DownloadTerms()
        terms.checksums = try sums.map { try #require(Checksum($0)) }
        terms.checksumList = "../SHA256SUMS"
        terms.mirrors = [try TransferURL("https://i/x"), try TransferURL("http://j/x")]
        var wishes = JobWishes()
        wishes.fetch.isForNewer = true
        wishes.fetch.takesServerName = true
        wishes.fetch.expectedSize = 5
        wishes.delivery.onConflict = .fail
        let url = try TransferURL("https://h/a/b/x?sig=1")
        #expect(
            try invocation(
                "enqueue", "download", "https://h/a/b/x?sig=1", "--checksum", sums[0], "--checksum", sums[1],
                "--checksum-url", "../SHA256SUMS", "--mirror", "https://i/x", "--mirror", "http://j/x",
                "--if-newer", "-J", "--option", "expect_size=5", "--option", "on_conflict=fail"
            ).command == .enqueue(.download([url], to: .standard, terms, wishes), OrderOptions()))
        #expect(try terms.list(for: url) == TransferURL("https://h/a/SHA256SUMS"))
    }

    @Test(arguments: [
        (["http://h/x", "http://h/y", "--mirror", "http://i/x"], "--mirror is for one file"),
        (["http://h/x", "--mirror", "ftp://i/x"], "--mirror is for http://"),
        (["ftp://h/x", "--mirror", "http://i/x"], "--mirror is for http://"),
        (["http://h/x", "-J", "-o", "y"], "exclude each other"),
        (["ftp://h/x", "-J"], "is no key of a download from ftp://"),
        (["ftp://h/x", "--checksum-url", "ftp://i/s"], "at the download's own server"),
        (["http://h/x", "--checksum-url", "ftp://h/s"], "http:// or https://"),
        (["http://h/x", "--checksum-url", "/"], "does not end in the name"),
        (["http://h/x", "--checksum-url", "http://u:p@h/s"], "must not hold a password"),
        (["http://h/d/", "--glob", "*", "--checksum", String(repeating: "2", count: 32)], "for one file"),
    ])
    func `what cannot hold for a download is refused`(words: [String], sentence: String) throws {
        do {
            let words = (["enqueue", "download"] + words).map { Array($0.utf8) }
            Issue.record("taken: \(try Invocation(words))")
        } catch {
            #expect(error.description.contains(sentence), "\(error)")
        }
    }

    @Test func `options of every enqueue`() throws {
        let options = OrderOptions(
            priority: -3, notBefore: .after(.seconds(300)), expires: .after(.seconds(2 * 86_400)),
            label: "a b",
            waits: true, json: true)
        let command = try invocation(
            "enqueue", "download", "http://h/x", "--priority=-3", "--not-before", "+5m", "--expires", "+2d",
            "--label", "a b", "--wait", "--json"
        ).command
        #expect(
            command
                == .enqueue(.download([try TransferURL("http://h/x")], to: .standard), options)
        )
        #expect(
            try refusal("enqueue", "download", "http://h/x", "--not-before", "5m").contains(
                "did you mean '+5m'"))
        #expect(try refusal("enqueue", "download", "http://h/x", "--label", "a\u{1b}b").contains("--label"))
        #expect(
            try refusal("enqueue", "download", "http://h/x", "--priority", "high").contains("whole number"))
    }

    @Test func `wait, requests and show take numbers`() throws {
        let ids = [JobID(rawValue: 4), JobID(rawValue: 5)]
        #expect(
            try invocation("wait", "4", "5", "--timeout", "1m30s").command
                == .wait(ids, timeout: .seconds(90), json: false))
        #expect(try invocation("retry", "4", "5", "--json").command == .request(.retry, ids, json: true))
        #expect(try invocation("show", "4", "5").command == .show(ids, json: false))
        #expect(try refusal("cancel").contains("needs the number"))
        #expect(try refusal("cancel", "x").contains("not the number of a job"))
        #expect(try refusal("cancel", "0").contains("not the number of a job"))
        #expect(try refusal("wait", "1", "--timeout", "soon").contains("duration"))
    }

    @Test func `what is mistyped is answered with what was probably meant`() throws {
        #expect(try refusal("enqeue").contains("did you mean 'enqueue'"))
        #expect(try refusal("status", "--wacth").contains("did you mean '--watch'"))
        #expect(try refusal("wait", "1", "--timeout").contains("--timeout needs a value"))
        #expect(try refusal("status", "--all=x").contains("takes no value"))
        #expect(try refusal("status", "-x").contains("unknown option '-x'"))
        #expect(try refusal("enqueue", "form", "--form", "a=b", "--fo", "x").contains("may mean any of"))
        #expect(try refusal("enqueue", "uplod").contains("upload, form or download"))
        #expect(try refusal().contains("--help"))
    }

    @Test func `help and version need nothing else`() throws {
        #expect(try invocation("--help").command == .help(.program))
        #expect(try invocation("help").command == .help(.program))
        #expect(try invocation("enqueue", "--help").command == .help(.enqueue))
        #expect(try invocation("help", "enqueue").command == .help(.enqueue))
        #expect(try refusal("help", "enqeue").contains("did you mean 'enqueue'"))
        for key in ["temp_name", "checksum_file"] { #expect(Help.text(.enqueue).contains("\n  \(key) ")) }
        #expect(try invocation("--version").command == .version)
        for topic in HelpTopic.allCases { #expect(!Help.text(topic).isEmpty) }
    }
}
