import TestServers
import Testing
import TransferModel

@Suite struct ProblemTests {
    @Test(arguments: [
        ("[transferd]\nlanse = 3", "2: key 'lanse': not a key of [transferd]; did you mean 'lanes'?"),
        (
            "[transferd]\nurl = x",
            "2: key 'url': not a key of [transferd]; it belongs into a section [route NAME]"
        ),
        (
            "[transferd]\nlanes = many",
            "2: key 'lanes': expected a number from 1 to 1024, found 'many'"
        ),
        ("[transferd]\nlanes = 0", "2: key 'lanes': expected a number from 1 to 1024, found '0'"),
        ("[transferd]\nlanes = +5", "2: key 'lanes': expected a number from 1 to 1024, found '+5'"),
        (
            "[transferd]\nlanes = 5 ; five",
            "2: key 'lanes': expected a number from 1 to 1024, found '5 ; five'; a comment has a line of its own"
        ),
        (
            "[transferd]\nrescan = 30",
            "2: key 'rescan': expected a duration such as 5m30s, 500ms or 2d, found '30'"
        ),
        ("[transferd]\nrescan = 0", "2: key 'rescan': expected a duration of at least 1s, found '0'"),
        (
            "[route a]\nkind = upload\nurl = ftp://h/in/ # the partner",
            "3: key 'url': expected '%20' for a blank in the address; a comment has a line of its own"
        ),
        (
            "[route a]\nkind = form\nurl = https://h/in ; the partner",
            "3: key 'url': expected '%20' for a blank in the address; a comment has a line of its own"
        ),
        ("[transferd]\nlanes =", "2: key 'lanes': expected a value, found nothing after '='"),
        (
            "[transferd]\nlanes = 1\nattempts = 2\nlanes = 2",
            "4: key 'lanes': expected once in [transferd], found a second time; the first is at transferd.conf:2"
        ),
        (
            "[transferd]\nlog_level = wraning",
            "2: key 'log_level': expected one of error, warning, info, debug, found 'wraning'; did you mean 'warning'?"
        ),
        (
            "[transferd]\nstate_dir = var",
            "2: key 'state_dir': expected an absolute path without '..', found 'var'"
        ),
        (
            "[transferd]\nignore = a/b",
            "2: key 'ignore': expected a pattern for names, without '/', found 'a/b'"
        ),
        ("lanes = 3", "1: key 'lanes': expected a section such as [transferd] above the first key"),
        (
            "[rout a]\nkind = nothing",
            "1: expected one of [transferd], [origin NAME], [route NAME], found [rout a]; did you mean 'route'?"
        ),
        ("[route]", "1: expected a name: [route NAME]"),
        ("[transferd x]", "1: expected [transferd] without a name"),
        ("[route a", "1: expected '[KIND NAME]', found a '[' that no ']' closes"),
        ("[]", "1: expected the kind of a section between '[' and ']'"),
        (
            "[transferd] # all",
            "1: expected nothing after the ']' of a section; comments have a line of their own"
        ),
        (
            "[origin \(String(repeating: "x", count: 43))]",
            "1: expected at most 49 bytes between '[' and ']'"
        ),
        (
            "[origin .a]",
            "1: expected a name of letters, digits, '.', '_' and '-' that starts with none of '.' and '-'"
        ),
        (
            "[transferd]\n[transferd]",
            "2: section [transferd] stands here a second time; the first is at transferd.conf:1"
        ),
        (
            "[origin a]\nmatch = x\n[origin  a]\nmatch = y",
            "3: section [origin a] stands here a second time; the first is at transferd.conf:1"
        ),
        (
            "[origin a]\nmatch = x\n[origin b]\nmatch = X",
            "4: key 'match': a pattern of [origin b] is taken already at transferd.conf:2"
        ),
        ("[origin a]", "1: key 'match': missing in [origin a]; expected at least one 'match = HOST'"),
        (
            "[origin a]\nmatch = gopher://x",
            "2: key 'match': expected one of ftp, ftps, sftp, http, https before '://', found 'gopher'"
        ),
        (
            "[origin a]\nmatch = x/y",
            "2: key 'match': expected [SCHEME://][USER@]HOST[:PORT] without a path, found 'x/y'"
        ),
        ("[origin a]\nmatch = a.*.b", "2: key 'match': expected a host, '*' or '*.DOMAIN', found 'a.*.b'"),
        ("[transferd]\nthat is all", "2: expected 'KEY = VALUE', '[KIND NAME]' or a comment"),
        ("[transferd]\nlanes: 3", "2: expected 'KEY = VALUE', '[KIND NAME]' or a comment"),
        ("[transferd]\nnetrc = /a\u{1b}b", "2: expected text without control bytes"),
    ])
    func `a mistake is named with its line, its key and what was expected`(text: String, problem: String)
        throws
    {
        #expect(try problems(text) == ["transferd.conf:" + problem])
    }

    @Test(arguments: [
        (
            "kind = form\nurl = sftp://h/",
            "3: key 'url': expected http:// or https:// with 'kind = form', found 'sftp://'"
        ),
        (
            "kind = upload\nurl = ftp://h/\nfield = a=b",
            "4: key 'field': expected in a route with 'kind = form' only, found in one with 'kind = upload'"
        ),
        (
            "kind = upload",
            "1: key 'url': missing in [route r]; expected an address such as 'url = ftp://user@host/directory/'"
        ),
        (
            "url = ftp://h/",
            "1: key 'kind': missing in [route r]; expected 'kind = upload', 'kind = form' or 'kind = fetch'"
        ),
        (
            "kind = upload\nurl = ftps://h/\ntls = off",
            "4: key 'tls': 'off' cannot hold for this address: its scheme is always encrypted"
        ),
        (
            "kind = form\nurl = http://h/\ntls = require",
            "4: key 'tls': 'require' cannot hold for an http:// address; write https://"
        ),
        (
            "kind = upload\nurl = sftp://h/a/../b/",
            "3: key 'url': sftp://h/a/../b/ has '.', '..' or an encoded '/' as or in a name of its path"
        ),
        ("kind = upload\nurl = ftp://h/%0d%0aDELE", "3: key 'url': the address has a control byte in it"),
        (
            "kind = form\nurl = http://h/\nfield = novalue",
            "4: key 'field': expected 'NAME=VALUE', found a text without a name before '='"
        ),
    ])
    func `the keys of a route must fit one another`(text: String, problem: String) throws {
        #expect(try problems("[route r]\n" + text) == ["transferd.conf:" + problem])
    }

    @Test(arguments: [
        (
            "tls_min = 1.3\ntls_max = 1.2",
            "3: key 'tls_min': '1.3' is newer than 'tls_max = 1.2'"
        ),
        (
            "tls_max = 1.1",
            "3: key 'tls_max': '1.1' is older than tls_min, which is 1.2 by default"
        ),
        (
            "tls_min = 1.3",
            "3: key 'tls_min': '1.3' leaves FTP no version, which goes up to 1.2 unless told otherwise; "
                + "write 'tls_max = 1.3' too"
        ),
        (
            "tls_min = 1",
            "3: key 'tls_min': expected one of 1.0, 1.1, 1.2, 1.3, found '1'; did you mean '1.0'?"
        ),
        (
            "client_key = /k",
            "3: key 'client_key': expected 'client_certificate = FILE' with it, of which it is the key"
        ),
        (
            "mode = active\nproxy = http://p",
            "3: key 'mode': 'active' cannot hold with 'proxy': a server cannot connect to us through it"
        ),
        (
            "pinned_key = sha256//short=",
            "3: key 'pinned_key': expected sha256// and the base64 form of a public key's SHA-256, 44 characters that "
                + "end in '=', found 'sha256//short='"
        ),
        (
            "host_key = MD5:aa:bb",
            "3: key 'host_key': expected SHA256: and 43 characters, as 'ssh-keygen -l' prints a key's fingerprint, "
                + "found 'MD5:aa:bb'"
        ),
        ("agent = true", "3: key 'agent': expected yes or no, found 'true'"),
        (
            "mode = pasive",
            "3: key 'mode': expected one of passive, active, found 'pasive'; did you mean 'passive'?"
        ),
        (
            "active_address = 192.0.2.7:2000-1000",
            "3: key 'active_address': expected an address or interface, with ports or without, such as 192.0.2.7, "
                + "eth0 or 192.0.2.7:50000-50100, found '192.0.2.7:2000-1000'"
        ),
        (
            "source_address = eth0:20",
            "3: key 'source_address': expected an address such as 192.0.2.7 or an interface such as eth0, "
                + "found 'eth0:20'"
        ),
        (
            "source_address = eth 0",
            "3: key 'source_address': expected an address such as 192.0.2.7 or an interface such as eth0, "
                + "found 'eth 0'"
        ),
        (
            "proxy = socks4://p",
            "3: key 'proxy': expected HOST[:PORT] of a proxy after one of http://, https://, socks5://, socks5h://"
        ),
        ("proxy = socks5://p/x", "3: key 'proxy': expected SCHEME://HOST[:PORT] of a proxy, without a path"),
        (
            "proxy = http://p:0",
            "3: key 'proxy': what follows the ':' of the host is not a port from 1 to 65535"
        ),
        (
            "adress_family = ipv4",
            "3: key 'adress_family': not a key of [origin o]; did you mean 'address_family'?"
        ),
    ])
    func `the keys of an origin are checked, and must fit one another`(text: String, problem: String) throws {
        #expect(try problems("[origin o]\nmatch = h\n" + text) == ["transferd.conf:" + problem])
    }

    @Test func `TLS 1.3 alone is fine where there is no FTP`() throws {
        #expect(try problems("[origin o]\nmatch = https://h\ntls_min = 1.3") == [])
        #expect(try problems("[origin o]\nmatch = h\ntls_min = 1.3\ntls_max = 1.3") == [])
    }

    @Test(arguments: [
        "eth0", "192.0.2.7", "2001:db8::7", "eth0:20", "192.0.2.7:50000-50100", "[2001:db8::7]:50000-50000",
        "fe80::1%eth0",
    ])
    func `active mode may name an interface, an address and ports`(text: String) throws {
        let origin = try settings("[origin o]\nmatch = h\nactive_address = \(text)").origins[0]
        #expect(origin.data.activeAddress == text)
    }

    @Test(arguments: [
        ("socks5://P:1", "socks5://p:1"), ("HTTP://p/", "http://p:3128"),
        ("socks5h://[::1]:9", "socks5h://[::1]:9"),
        ("https://[::1]", "https://[::1]:443"),
    ])
    func `a proxy is read`(text: String, address: String) throws {
        let origin = try settings("[origin o]\nmatch = h\nproxy = \(text)").origins[0]
        #expect(origin.path.proxy?.description == address)
    }

    @Test(arguments: [
        "url = ftp://bob:geheim@h/", "proxy = http://bob:geheim@p", "proxy = bob:geheim@p",
        "url = bob:geheim@h/", "url = ftp://bob:geheim/2@h/",
        "match = bob:geheim@h",
        "header = Authorization geheim", "header = Host: geheim", "field = =geheim", "pasword = geheim",
        "geheim",
        "[geheim",
    ])
    func `what may be a password is never repeated`(line: String) throws {
        let kind =
            line.hasPrefix("match") || line.hasPrefix("proxy") ? "[origin o]" : "[route r]\nkind = upload"
        let found = try problems(kind + "\n" + line).joined(separator: "\n")
        #expect(!found.isEmpty)
        #expect(!found.contains("geheim"))
    }

    @Test func `all problems of all files are told, in order`() throws {
        let folder = try ConfigurationFolder(
            "[transferd]\nlanes = x\n[route r]\nkind = nothing\nbroken\nurl = h\n")
        try folder.directory.makeDirectory("conf.d")
        try folder.directory.write("[transferd]\nattempts = x\n", to: "conf.d/a.conf")
        #expect(
            folder.problems().map { $0.prefix { $0 != " " } } == [
                "transferd.conf:2:", "transferd.conf:4:", "transferd.conf:5:", "transferd.conf:6:",
                "conf.d/a.conf:2:",
            ])
    }

    @Test func `a text that is no UTF-8 is refused with its line`() throws {
        let folder = try ConfigurationFolder()
        try folder.directory.write(Array("[transferd]\nnetrc = /".utf8) + [0xff, 0x0a], to: "transferd.conf")
        #expect(folder.problems() == ["transferd.conf:2: expected UTF-8 text"])
    }
}
