import Testing
import TransferModel

@testable import TransferConfiguration

/// The keys of a delivery: one table for `[origin]`, `[route]` and `--option`.
@Suite struct DeliveryTests {
    private static let lines = [
        "temp_name = in/{name}.{id}.part", "on_conflict = rename", "verify = read_back", "resume = rest",
        "keep_mtime = yes", "permissions = 0640", "transfer_type = image", "before = SITE UMASK 027",
        "before = NOOP", "after_sent = SITE GO {path}", "marker = {name}.done",
        "checksum_file = {name}.sha256",
    ]

    private static func wishes() throws -> DeliveryWishes {
        var wishes = DeliveryWishes()
        wishes.temporaryName = try TemporaryName("in/{name}.{id}.part")
        wishes.onConflict = .rename
        wishes.verification = .readBack
        wishes.resuming = .restart
        wishes.keepsModified = true
        wishes.permissions = Permissions("640")
        wishes.transferType = .image
        wishes.before = [try NameTemplate("SITE UMASK 027"), try NameTemplate("NOOP")]
        wishes.afterSent = [try NameTemplate("SITE GO {path}")]
        wishes.marker = try NameTemplate("{name}.done")
        wishes.checksumFile = try NameTemplate("{name}.sha256")
        return wishes
    }

    @Test func `every key is read in an origin, in a route and as an option`() throws {
        let text = Self.lines.joined(separator: "\n")
        let settings = try settings(
            "[origin o]\nmatch = h\n\(text)\n[route r]\nkind = upload\nurl = ftp://h/\n\(text)\n")
        let wishes = try Self.wishes()
        #expect(settings.origins[0].delivery == wishes)
        #expect(settings.routes[0].delivery == wishes)
        #expect(try DeliveryOptions.read(Self.lines) == wishes)
        #expect(Set(DeliveryOptions.keys.map(\.name)) == Set(DeliveryOptions.values(of: wishes).map(\.key)))
    }

    @Test func `wishes are shown as they are written`() throws {
        let shown = DeliveryOptions.values(of: try Self.wishes()).flatMap { key, values in
            values.texts.map { "\(key) = \($0)" }
        }
        #expect(shown == Self.lines.map { $0 == "permissions = 0640" ? "permissions = 640" : $0 })
        #expect(DeliveryOptions.values(of: DeliveryWishes()).isEmpty)
    }

    @Test func `a blank command takes away those of the origin`() throws {
        let wishes = try DeliveryOptions.read(["before="])
        #expect(wishes.before == [])
        #expect(wishes.or(try Self.wishes()).before == [])
        let values = DeliveryOptions.values(of: wishes)
        #expect(values.map(\.key) == ["before"])
        #expect(values.map(\.values.texts) == [[]])
    }

    @Test(arguments: [
        ("on_conflct=skip", "'on_conflct' is no key of an upload; did you mean 'on_conflict'?"),
        (
            "lanes=3",
            "'lanes' is no key of an upload; expected one of temp_name, on_conflict, verify, resume, keep_mtime, "
                + "permissions, transfer_type, before, after_sent, marker, checksum_file"
        ),
        ("verify", "'verify' has no '=': write KEY=VALUE"),
        ("verify=", "'verify' has nothing after its '='"),
        (
            "verify=sise",
            "found 'sise'; did you mean 'size'?"
        ),
        ("before=NOOP\r\nDELE x", "it has a control byte in it"),
        ("x\u{1b}=1", "'x\\x1b' is no key of an upload"),
    ])
    func `an option that cannot be is refused in a sentence`(option: String, sentence: String) {
        let error = #expect(throws: InvalidOption.self) { try DeliveryOptions.read([option]) }
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
    }

    @Test func `an option that stands once is refused a second time`() {
        let error = #expect(throws: InvalidOption.self) {
            try DeliveryOptions.read(["verify=size", "verify=size"])
        }
        #expect(error?.description == "'verify' is expected once")
    }

    @Test(arguments: [
        (
            "temp_name = {name}.part",
            "expected a name such as '{name}.{id}.part', or 'off', found '{name}.part': its last name needs {id}, "
                + "so that each job has a temporary name of its own"
        ),
        (
            "temp_name = ../{id}",
            "expected a name such as '{name}.{id}.part', or 'off', found '../{id}': '.' and '..' are no directories "
                + "for temporary files"
        ),
        (
            "marker = {nam}.done",
            "expected a name such as '{name}.done', found '{nam}.done': {nam} is none of {name} {stem} {ext} {path} "
                + "{directory} {temporary} {id} {key} {route} {size} {sha256} {mtime} {date}; '{{' and '}}' are braces that are meant"
        ),
        (
            "marker = {name}",
            "expected a name such as '{name}.done', found '{name}': it is the name of the file itself"
        ),
        (
            "marker = done/",
            "expected a name such as '{name}.done', found 'done/': it stands beside the file, so there is no '/' in it"
        ),
        (
            "checksum_file = {temporary}.sha256",
            "expected a name such as '{name}.done', found '{temporary}.sha256': {temporary} has no meaning in it"
        ),
        (
            "before = SITE {",
            "expected a command such as 'SITE CHMOD 640 {path}', found 'SITE {': a brace stands alone in it; two of "
                + "them are one that is meant"
        ),
        ("keep_mtime = true", "expected yes or no, found 'true'"),
        ("permissions = rw-r--r--", "expected three or four octal digits such as 640, found 'rw-r--r--'"),
        ("permissions = 1999", "expected three or four octal digits such as 640, found '1999'"),
        (
            "on_conflict = overwrite",
            "expected one of replace, rename, skip, fail, found 'overwrite'"
        ),
        ("marker =", "expected a value, found nothing after '='"),
    ])
    func `a wrong value is told with its place and what was expected`(line: String, sentence: String) throws {
        let key = line.prefix { $0 != " " }
        let route = "[route r]\nkind = upload\nurl = ftp://h/\n"
        #expect(try problems(route + line) == ["transferd.conf:4: key '\(key)': \(sentence)"])
        #expect(
            try problems("[origin o]\nmatch = h\n" + line) == [
                "transferd.conf:3: key '\(key)': \(sentence)"
            ])
    }

    @Test(arguments: [
        (
            ["temp_name = off", "on_conflict = skip"], "on_conflict",
            "'on_conflict = skip' and 'temp_name = off' exclude each other: without a temporary name the first byte "
                + "replaces the old file"
        ),
        (
            ["transfer_type = ascii", "verify = checksum"], "verify",
            "'verify = checksum' and 'transfer_type = ascii' exclude each other: the server changes the line ends of a "
                + "text, and with them every checksum"
        ),
        (
            ["transfer_type = ascii", "checksum_file = {name}.s"], "checksum_file",
            "'checksum_file = {name}.s' and 'transfer_type = ascii' exclude each other: the server changes the line "
                + "ends of a text, and with them every checksum"
        ),
        (
            ["checksum_file = {name}.x", "marker = {name}.x"], "marker",
            "'marker' and 'checksum_file' are both '{name}.x'; expected two names"
        ),
    ])
    func `wishes that exclude each other are refused, also between a route and its origin`(
        lines: [String], key: String, sentence: String
    ) throws {
        let place = "transferd.conf:4: key '\(key)': "
        let origin = "[origin o]\nmatch = h\n"
        #expect(try problems(origin + lines.joined(separator: "\n")) == [place + sentence])
        let route = "[route r]\nkind = upload\nurl = ftp://h/\n"
        let apart = try problems("\(route)\(lines[1])\n\(origin)\(lines[0])\n")
        #expect(apart == [place + sentence + "; the other one stands in the route's [origin]"])
        #expect(try DeliveryOptions.read(lines).hasContradiction)
    }

    @Test func `text is not sent over SFTP`() throws {
        let found = try problems("[route r]\nkind = upload\nurl = sftp://h/\ntransfer_type = ascii\n")
        #expect(
            found == [
                "transferd.conf:4: key 'transfer_type': 'transfer_type = ascii' cannot hold for an sftp:// address: "
                    + "SFTP sends byte for byte"
            ])
    }

    @Test func `a form route has no delivery`() throws {
        let found = try problems("[route r]\nkind = form\nurl = http://h/\nmarker = x\n")
        #expect(
            found == [
                "transferd.conf:4: key 'marker': expected in a route with 'kind = upload' only, found in one with "
                    + "'kind = form'"
            ])
    }
}

extension DeliveryWishes {
    fileprivate var hasContradiction: Bool {
        DeliveryOptions.contradiction(in: self, scheme: .ftp) != nil
    }
}
