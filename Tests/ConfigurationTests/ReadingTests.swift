import Testing
import TransferConfiguration
import TransferModel

@Suite struct ReadingTests {
    @Test func `every key of [transferd] is read`() throws {
        let settings = try settings(
            """
            [transferd]
            state_dir = /srv/t
            spool_dir = /srv/s/
            download_dirs = /srv/a
            download_dirs = /srv/b
            source_dirs = /srv/c
            source_dirs = /srv/d
            lanes = 7
            idle_timeout = 5m30s
            rescan = 1s
            expires = 2d
            attempts = 3
            keep_failed = 0
            ignore = *.x
            ignore = b *
            netrc = /etc/n
            log_level = debug
            """)
        #expect("\(settings.places.state) \(settings.places.spool)" == "/srv/t /srv/s")
        #expect(settings.places.downloadDirectories.map(\.description) == ["/srv/a", "/srv/b"])
        #expect(settings.places.downloads.description == "/srv/a")
        #expect(settings.places.sourceDirectories.map(\.description) == ["/srv/c", "/srv/d"])
        var general = Settings.General()
        general.lanes = 7
        general.idleTimeout = .seconds(330)
        general.rescan = .seconds(1)
        general.expires = .seconds(172_800)
        general.attempts = 3
        general.keepFailed = .zero
        general.ignore = ["*.x", "b *"]
        general.netrc = FilePath("/etc/n")
        general.logLevel = 7
        #expect(settings.general == general)
    }

    @Test func `every key of an origin is read`() throws {
        let settings = try settings(
            """
            [origin one]
            match = ftp://bob@Example.com:2121
            match = *.example.org
            match = [2001:db8::1]:22
            match = *
            lanes = 2
            tls = require
            tls_min = 1.1
            tls_max = 1.3
            ca_file = /etc/ca.pem
            pinned_key = sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
            pinned_key = sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
            client_certificate = /etc/c.pem
            client_key = /etc/c.key
            known_hosts = /etc/kh
            host_key = SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU
            host_key = SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
            identity = /etc/id
            agent = yes
            mode = active
            active_address = eth0
            epsv = no
            passive_address = reply
            source_address = 2001:db8::7
            address_family = ipv6
            on_conflict = fail
            connect_timeout = 2s
            stall_timeout = 90s
            """)
        var origin = OriginSettings(
            name: "one",
            matches: [
                OriginPattern(scheme: .ftp, user: "bob", host: "example.com", port: 2121),
                OriginPattern(host: "*.example.org"), OriginPattern(host: "2001:db8::1", port: 22),
                OriginPattern(host: "*"),
            ])
        origin.lanes = 2
        origin.tls = .require
        origin.trust.caFile = FilePath("/etc/ca.pem")
        origin.trust.tlsMinimum = .tls11
        origin.trust.tlsMaximum = .tls13
        origin.trust.pinnedKeys = [
            "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        ]
        origin.trust.clientCertificate = FilePath("/etc/c.pem")
        origin.trust.clientKey = FilePath("/etc/c.key")
        origin.trust.knownHosts = FilePath("/etc/kh")
        origin.trust.hostKeys = [
            "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
            "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        ]
        origin.trust.identity = FilePath("/etc/id")
        origin.trust.usesAgent = true
        origin.data.mode = .active
        origin.data.activeAddress = "eth0"
        origin.data.extended = false
        origin.data.passiveAddress = .reply
        origin.path.sourceAddress = "2001:db8::7"
        origin.path.addressFamily = .ipv6
        origin.delivery.onConflict = .fail
        origin.connectTimeout = .seconds(2)
        origin.stallTimeout = .seconds(90)
        #expect(settings.origins == [origin])
    }

    @Test func `every key of a route is read, repeated ones in order`() throws {
        let settings = try settings(
            """
            [route up.1_a-b]
            kind = upload
            url = ftp://bob@h/in/
            after = archive
            settle = 500ms
            tls = require
            lanes = 3
            [route form]
            kind = form
            url = https://h/f.php?x=1
            field = b=2
            field = a = with blanks ; and # signs
            field = b=
            file_field = f[]
            filename = {stem}.{date:%Y%m%d}
            file_type = text/plain; charset=utf-8
            filename_star = yes
            header = X-One: 1
            header = X-Two:
            unknown_outcome = hold
            """)
        var upload = RouteSettings(name: "up.1_a-b", kind: .upload, url: try TransferURL("ftp://bob@h/in/"))
        upload.after = .archive
        upload.settle = .milliseconds(500)
        upload.tls = .require
        upload.lanes = 3
        var form = RouteSettings(name: "form", kind: .form, url: try TransferURL("https://h/f.php?x=1"))
        form.fields = [
            .init(name: "b", value: "2"), .init(name: "a", value: " with blanks ; and # signs"),
            .init(name: "b", value: ""),
        ]
        form.fileField = "f[]"
        form.filename = FileName("{stem}.{date:%Y%m%d}")
        form.fileType = MediaType("text/plain; charset=utf-8")
        form.hasEncodedFilename = true
        form.request.headers = ["X-One: 1", "X-Two:"].compactMap { HeaderField($0) }
        form.request.unknownOutcome = .hold
        #expect(settings.routes == [upload, form])
    }

    @Test func `a byte order mark, CRLF, indentation and comments do no harm`() throws {
        let settings = try settings(
            "\u{feff}; one\r\n# two\r\n [transferd] \r\n\tlanes=3\r\n  attempts =  4  \r\n")
        #expect(settings.general.lanes == 3)
        #expect(settings.general.attempts == 4)
    }

    @Test func `a value of 65,000 bytes arrives whole and a longer line is refused`() throws {
        let long = String(repeating: "x", count: 65_000)
        let route = "[route f]\nkind = form\nurl = http://h/\nfield = a="
        #expect(try settings(route + long + "\nlanes = 2\n").routes[0].fields[0].value == long)
        #expect(
            try problems(route + long + long + "\n") == [
                "transferd.conf:4: expected at most 65533 bytes in a line"
            ])
    }

    @Test func `a blank ignore ignores nothing`() throws {
        #expect(try settings("[transferd]\nignore =\n").general.ignore == [])
        #expect(try settings("[transferd]\n").general.ignore == Settings.General.defaultIgnore)
    }
}
