import Testing
import TransferModel

@testable import TransferConfiguration

/// Routes of kind `fetch`.
@Suite struct FetchRouteTests {
    private static let head = "[route in]\nkind = fetch\nurl = sftp://u@h/out/\n"

    @Test func `its keys are read, and what is fetched stays there by default`() throws {
        let plain = try #require(settings(Self.head).routes.first)
        #expect(plain.kind == .fetch && plain.after == .leave && plain.poll == PollSettings())
        let all = try #require(
            settings(
                Self.head
                    + "interval = 5s\nglob = *.csv\nglob = *.txt\nafter = move\nmove_to = done/{date:%Y}/"
            ).routes.first)
        #expect(all.poll.interval == .seconds(5) && all.poll.globs == ["*.csv", "*.txt"])
        #expect(try all.after == .move && all.poll.moveTo == NameTemplate("done/{date:%Y}/"))
    }

    @Test func `from a web server it says over how many connections a large file comes`() throws {
        let lines = "[route in]\nkind = fetch\nurl = http://h/out/\nsegments = 4"
        let route = try #require(settings(lines).routes.first)
        #expect(route.fetch.segments == .most(4))
        let form = try problems("[route f]\nkind = form\nurl = http://h/in\nsegments = 4")
        #expect(form.count == 1 && form[0].contains("'kind = fetch' only"), "\(form)")
    }

    @Test func `a route that sends deletes what has arrived, as before`() throws {
        let routes = try settings("[route up]\nkind = upload\nurl = ftp://h/in/").routes
        #expect(routes.map(\.after) == [.delete])
    }

    @Test(arguments: [
        ("after = archive", "4: key 'after': expected 'leave' or 'delete' or 'move' with 'kind = fetch'"),
        ("after = move", "4: key 'after': 'move' needs 'move_to = DIRECTORY/'"),
        ("move_to = done/", "4: key 'move_to': is for 'after = move'"),
        ("after = move\nmove_to = done", "5: key 'move_to': expected a directory such as 'done/'"),
        ("after = move\nmove_to = ../x/", "'.' and '..' are refused"),
        ("after = move\nmove_to = {sha256}/", "{sha256} has no meaning in it"),
        ("settle = 5s", "4: key 'settle': has no meaning with 'kind = fetch'"),
        ("temp_name = off", "4: key 'temp_name': expected in a route with 'kind = upload' only"),
        ("segments = 4", "4: key 'segments': expected in a route to http:// or https:// only"),
        ("interval = 500ms", "4: key 'interval': expected a duration of at least 1s, found '500ms'"),
        ("glob = a/b", "4: key 'glob': expected a pattern for names, without '/'"),
        ("directory = /srv/elsewhere", "'/srv/elsewhere' is below none of the directories of download_dirs"),
    ])
    func `what cannot be meant is told`(lines: String, sentence: String) throws {
        let found = try problems(Self.head + lines)
        #expect(found.count == 1 && found[0].contains(sentence), "\(found)")
    }

    @Test func `its address is a directory, and its keys are for no other kind`() throws {
        let file = try problems("[route in]\nkind = fetch\nurl = ftp://h/out")
        #expect(file.count == 1 && file[0].contains("an address that ends in '/'"), "\(file)")
        let upload = try problems(
            "[route up]\nkind = upload\nurl = ftp://h/in/\ninterval = 5s\nafter = leave")
        #expect(upload.count == 2, "\(upload)")
    }

    @Test func `patterns are those of the shell`() {
        let patterns = NamePatterns(["*.csv", "[0-9]?"])
        #expect(patterns.matches(Array("a.csv".utf8)) && patterns.matches(Array("7x".utf8)))
        #expect(!patterns.matches(Array("a.csv.gz".utf8)) && !patterns.matches([0x61, 0x00]))
        #expect(patterns.matches(Array(".csv".utf8)), "a star matches a leading dot")
    }
}
