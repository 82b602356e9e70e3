import Testing
import TransferModel

@testable import TransferEngine

/// What a directory's list says, in the forms that servers have.
@Suite struct ReadingLists {
    /// 2026-03-01 12:00 UTC.
    static let now = Timestamp(rawValue: 1_772_366_400_000)

    struct Line: CustomTestStringConvertible, Sendable {
        let text: String
        let says: String

        init(_ text: String, _ says: String) {
            self.text = text
            self.says = says
        }

        var testDescription: String { text }
    }

    static func read(_ text: String, _ form: ListingReader.Form) -> RemoteListing {
        ListingReader.read(Array(text.utf8), as: form, now: now)
    }

    /// An entry in one line, with what is not known left out.
    static func text(_ entry: RemoteEntry) -> String {
        let parts: [String?] = [
            "<\(String(decoding: entry.name, as: UTF8.self))>", entry.kind.rawValue,
            entry.size.map { "\($0)" },
            entry.modified.map { CalendarTime($0).text }, entry.permissions?.description,
            entry.owner.map { String(decoding: $0, as: UTF8.self) },
            entry.group.map { "/" + String(decoding: $0, as: UTF8.self) },
            entry.target.map { "->" + String(decoding: $0, as: UTF8.self) },
        ]
        return parts.compactMap(\.self).joined(separator: " ")
    }

    static let factsLines = [
        Line(
            "Type=file;Size=25730;Modify=19940728095854;Perm=rw; cap60.pl198.tar.gz",
            "<cap60.pl198.tar.gz> file 25730 1994-07-28T09:58:54Z"),
        Line(
            "type=dir;modify=20250102030405.678;UNIX.mode=0755;UNIX.owner=1000;UNIX.group=100; a b",
            "<a b> directory 2025-01-02T03:04:05.678Z 755 1000 /100"),
        Line(
            "TYPE=FILE;SIZE=1;UNIX.OWNERNAME=anna;unix.owner=7;unix.GroupName=lab; x", "<x> file 1 anna /lab"),
        Line("type=OS.unix=slink:/target;size=7; link", "<link> link 7 ->/target"),
        Line("type=OS.unix=slink:/tar get;size=7; link", "<link> link 7 ->/tar get"),
        Line("Type=OS.UNIX=symlink;Size=7; link", "<link> link 7"),
        Line("type=file;size=1;   two blanks before", "<  two blanks before> file 1"),
        Line("type=file;size=1; tail ", "<tail > file 1"),
        Line("type=file;size=1; a; b=c; d", "<a; b=c; d> file 1"),
        Line(" no facts", "<no facts> other"),
        Line("perm=elcmp;modify=20250102030405; typeless", "<typeless> directory 2025-01-02T03:04:05Z"),
        Line("size=5; typeless", "<typeless> file 5"),
        Line("perm=adfrw; typeless", "<typeless> file"),
        Line("type=file;size=9223372036854775808; huge", "<huge> file"),
        Line("type=file;size=8589934592;x.y=z;lang=; big", "<big> file 8589934592"),
        Line("type=file;modify=20250230000000;UNIX.mode=0100644; no such day", "<no such day> file 644"),
        Line("type=file;modify=20241231235960;size=; leap", "<leap> file 2025-01-01T00:00:00Z"),
        Line("type=file;size=3 unfinished.facts", "<unfinished.facts> file 3"),
        Line("type=OS.chr=device; tty", "<tty> other"),
    ]

    @Test(arguments: factsLines) func `a line of MLSD says what its facts say`(line: Line) throws {
        let listing = Self.read(line.text + "\r\n", .facts)
        #expect(listing.unreadable.isEmpty)
        #expect(listing.entries.map(Self.text) == [line.says])
    }

    @Test(arguments: [
        "type=cdir;unix.mode=0755; /home/lab", "Type=PDIR; ..", "type=dir; .", "type=dir; ..", "",
    ])
    func `the directory itself and the one above are no entries`(line: String) {
        #expect(Self.read(line + "\r\n", .facts) == RemoteListing())
    }

    @Test(arguments: ["type=file;size=3;", "plain", "type=file; a/b", "type=file; ", "-rw-r--r-- x"])
    func `a line of MLSD without facts or name is kept as it came`(line: String) {
        let listing = Self.read(line + "\r\n", .facts)
        #expect(listing.entries.isEmpty && listing.unreadable == [Array(line.utf8)])
    }

    static let unixLines = [
        Line(
            "-rw-r--r--   1 anna     lab          1234 Jan 29  1997 name",
            "<name> file 1234 1997-01-29T00:00:00Z 644 anna /lab"),
        Line(
            "-rw-r--r--   1 anna     lab          1234 Jan 29 14:05 name",
            "<name> file 1234 2026-01-29T14:05:00Z 644 anna /lab"),
        Line(
            "-rw-r--r-- 1 0 0 8589934593 Mar  2 11:59 tomorrow",
            "<tomorrow> file 8589934593 2026-03-02T11:59:00Z 644 0 /0"),
        Line("-rw-r--r-- 1 0 0 1 Mar  2 12:01 last year", "<last year> file 1 2025-03-02T12:01:00Z 644 0 /0"),
        Line("-rw-r--r-- 1 0 0 1 Feb 29 12:01 leap", "<leap> file 1 2024-02-29T12:01:00Z 644 0 /0"),
        Line(
            "drwxr-xr-x+  2 anna lab 4096 Dec 31 2025 a  b c",
            "<a  b c> directory 4096 2025-12-31T00:00:00Z 755 anna /lab"),
        Line(
            "lrwxrwxrwx 1 anna lab 6 Jan  1 2020 a b -> c d",
            "<a b> link 6 2020-01-01T00:00:00Z 777 anna /lab ->c d"),
        Line(
            "lrwxrwxrwx 1 anna lab 6 Jan  1 2020 broken", "<broken> link 6 2020-01-01T00:00:00Z 777 anna /lab"
        ),
        Line(
            "-rw-r--r-- 1 anna lab 6 Jan  1 2020   leading",
            "<  leading> file 6 2020-01-01T00:00:00Z 644 anna /lab"),
        Line(
            "-rw-r--r-- 1 anna lab 6 Jan  1 12:00  leading",
            "< leading> file 6 2026-01-01T12:00:00Z 644 anna /lab"),
        Line(
            "-rw-r--r-- 1 anna lab 6 Jan  1 2020 trailing ",
            "<trailing > file 6 2020-01-01T00:00:00Z 644 anna /lab"),
        Line(
            "-rw-r--r-- 1 anna 6 Jan  1 2020 without group",
            "<without group> file 6 2020-01-01T00:00:00Z 644 anna"),
        Line(
            "-rw-r--r-- 1 anna Domain Users 6 Jan  1 2020 x",
            "<x> file 6 2020-01-01T00:00:00Z 644 anna /Domain Users"),
        Line(
            "-rw-r--r-- anna lab 6 Jan  1 2020 without links",
            "<without links> file 6 2020-01-01T00:00:00Z 644 anna /lab"),
        Line(
            "-rwsr-Sr-t 1 1000 100 6 1 Jan 2020 day first",
            "<day first> file 6 2020-01-01T00:00:00Z 7745 1000 /100"),
        Line("-rw-r--r-- 1 a b 6 2020-01-02 03:04 iso", "<iso> file 6 2020-01-02T03:04:00Z 644 a /b"),
        Line(
            "-rw-r--r-- 1 a b 6 2020-01-02 03:04:05.123456789 +0100 full",
            "<full> file 6 2020-01-02T02:04:05Z 644 a /b"),
        Line(
            "-rw-r--r-- 1 a b 6 Jan  2 03:04:05 2020 seconds",
            "<seconds> file 6 2020-01-02T03:04:05Z 644 a /b"),
        Line(
            "crw-rw-rw- 1 root sys 1, 3 Jan  1 2020 null", "<null> other 2020-01-01T00:00:00Z 666 root /sys"),
        Line("brw-rw---- 1 root disk 8,0 Jan  1 2020 sda", "<sda> other 2020-01-01T00:00:00Z 660 root /disk"),
        Line("prw-r--r-- 1 a b 0 Jan  1 2020 pipe", "<pipe> other 0 2020-01-01T00:00:00Z 644 a /b"),
        Line(
            "d [R----F--] supervisor            512       Jan 16 18:53    login",
            "<   login> directory 512 2026-01-16T18:53:00Z supervisor"),
        Line(
            "-rw-r--r-- 1 a b 6 Jan  1 2020 Jan  1 2021 x",
            "<Jan  1 2021 x> file 6 2020-01-01T00:00:00Z 644 a /b"),
        Line("-rw-r--r-- 1 a b 6 Feb 30 2020 no such day", "<no such day> file 6 644 a /b"),
        Line(
            "-rw-r--r-- 1 ftp ftp 6 Jan  1 2020 café #1 %41;type=a",
            "<café #1 %41;type=a> file 6 2020-01-01T00:00:00Z 644 ftp /ftp"),
    ]

    @Test(arguments: unixLines) func `a line of LIST in the form of UNIX is read`(line: Line) {
        let listing = Self.read(line.text + "\r\n", .list)
        #expect(listing.unreadable.isEmpty)
        #expect(listing.entries.map(Self.text) == [line.says])
    }

    static let dosLines = [
        Line("01-29-97  11:32PM       <DIR>          prog", "<prog> directory 1997-01-29T23:32:00Z"),
        Line(
            "04-27-00  12:09AM                 1234 licensed file.txt",
            "<licensed file.txt> file 1234 2000-04-27T00:09:00Z"),
        Line(
            "04-27-2031  12:09PM       8,589,934,592  leading",
            "< leading> file 8589934592 2031-04-27T12:09:00Z"),
        Line("2031-04-27  14:05    <DIR>          x", "<x> directory 2031-04-27T14:05:00Z"),
        Line("27/04/2031  02:05 PM    <DIR>    few blanks", "<few blanks> directory 2031-04-27T14:05:00Z"),
        Line(
            "04-27-00  09:09AM       <DIR>            leading", "<  leading> directory 2000-04-27T09:09:00Z"),
        Line(
            "04-27-00  09:09AM       <JUNCTION>     link [C:\\Users\\a b]",
            "<link> link 2000-04-27T09:09:00Z ->C:\\Users\\a b"),
        Line("04-27-00  09:09AM       <SYMLINKD>     link", "<link> link 2000-04-27T09:09:00Z"),
    ]

    @Test(arguments: dosLines) func `a line of LIST in the form of DOS is read`(line: Line) {
        let listing = Self.read(line.text + "\r\n", .list)
        #expect(listing.unreadable.isEmpty)
        #expect(listing.entries.map(Self.text) == [line.says])
    }

    @Test(arguments: [
        "-rw-r--r-- 1 a b 6 Jan 32 2020 x", "-rw-r--r-- 1 a b 6 Jan  1 2020",
        "-rw-r--r-- 1 a b x Jan  1 2020 y",
        "-rw-r--r--", "13-32-97  11:32PM <DIR> x", "01-29-97  13:32PM <DIR> x", "01-29-97  11:32PM <WHAT> x",
        "01-29-97  11:32PM <DIR>", "01-29-97", "+i8388621.29609,m824255902,/,\tdev",
        "CORE.DAT;1  4 8-NOV-1999 07:02 [MY,ID] (RWED,RE,R,R)", "ls: cannot open directory", "name", "-",
        "-rw-r--r-- 1 a b 6 Jan  1 2020 a/b",
    ])
    func `a line of LIST in no known form is kept as it came`(line: String) {
        let listing = Self.read("-rw-r--r-- 1 a b 6 Jan  1 2020 x\r\n\(line)\r\n", .list)
        #expect(listing.entries.count == 1 && listing.unreadable == [Array(line.utf8)])
    }

    @Test(arguments: ["total 12", "insgesamt 4711", "total 0", "合計 8"])
    func `the total before the lines is none of them`(total: String) {
        let listing = Self.read(
            "\(total)\ndrwxr-xr-x 2 a b 4096 Jan  1 2020 .\nd--------- 2 a b 4096 Jan  1 2020 ..\n", .list)
        #expect(listing == RemoteListing())
    }

    @Test func `names are bytes and come as they are`() {
        let name: [UInt8] = [0xff, 0x20, 0xc3, 0x1b, 0x5c]
        let list = Array("type=file; ".utf8) + name + [0x0d, 0x0a]
        #expect(ListingReader.read(list, as: .facts, now: Self.now).entries.map(\.name) == [name])
        let unix = Array("-rw-r--r-- 1 a b 6 Jan  1 2020 ".utf8) + name + [0x0a]
        #expect(ListingReader.read(unix, as: .list, now: Self.now).entries.map(\.name) == [name])
    }

    @Test func `a list that ends in the middle of a line is cut, an empty one is not`() {
        #expect(ListingReader.isCut(Array("type=file; a\r\ntype=fi".utf8)))
        #expect(!ListingReader.isCut(Array("type=file; a\r\n".utf8)))
        #expect(!ListingReader.isCut([]))
    }

    @Test(
        arguments: [-86_400_000, -1, 0, 951_782_400_123, 1_772_366_400_000, 253_402_300_799_999] as [Int64])
    func `a calendar time is the moment that it was made of`(moment: Int64) {
        #expect(CalendarTime(Timestamp(rawValue: moment)).timestamp == Timestamp(rawValue: moment))
    }
}
