import TestServers
import Testing
import TransferConfiguration
import TransferModel

@Suite struct FindingFilesTests {
    @Test func `files of conf_d are read after the main file, in byte order, and add to it`() throws {
        let folder = try ConfigurationFolder("[transferd]\nlanes = 5\n")
        try folder.directory.makeDirectory("conf.d")
        try folder.directory.write("[route b]\nkind = upload\nurl = ftp://h/b/\n", to: "conf.d/a.conf")
        try folder.directory.write("[route a]\nkind = upload\nurl = ftp://h/a/\n", to: "conf.d/B.conf")
        try folder.directory.write("[transferd]\nattempts = 4\n", to: "conf.d/c.conf")
        try folder.directory.write("nonsense", to: "conf.d/c.conf~")
        try folder.directory.write("nonsense", to: "conf.d/.d.conf")
        let settings = try folder.load()
        #expect(settings.routes.map(\.name) == ["a", "b"])
        #expect(settings.general.lanes == 5)
        #expect(settings.general.attempts == 4)
    }

    @Test func `a key and a route may stand in one file only`() throws {
        let folder = try ConfigurationFolder(
            "[transferd]\nlanes = 5\n[route r]\nkind = upload\nurl = ftp://h/\n")
        try folder.directory.makeDirectory("conf.d")
        try folder.directory.write("[transferd]\nlanes = 6\n[route r]\nkind = upload\n", to: "conf.d/a.conf")
        #expect(
            folder.problems() == [
                "conf.d/a.conf:2: key 'lanes': expected once in [transferd], found a second time; "
                    + "the first is at transferd.conf:2",
                "conf.d/a.conf:3: section [route r] stands here a second time; the first is at transferd.conf:3",
            ])
    }

    @Test func `the named file wins over the environment's, and a blank variable is none`() throws {
        let named = try ConfigurationFolder("[transferd]\nlanes = 1\n")
        let other = try ConfigurationFolder("[transferd]\nlanes = 2\n")
        let environment = ["TRANSFERD_CONFIG": other.main]
        let state = FilePath("/nowhere")
        let first = try Configuration.load(
            configFile: named.path("transferd.conf"), stateDirectory: nil, environment: environment)
        #expect(first.general.lanes == 1)
        let second = try Configuration.load(configFile: nil, stateDirectory: state, environment: environment)
        #expect(second.general.lanes == 2)
        let third = try Configuration.load(
            configFile: nil, stateDirectory: state, environment: ["TRANSFERD_CONFIG": ""])
        #expect(third.general.lanes == 64)
    }

    @Test func `a named file that is missing or a directory is a problem`() throws {
        let folder = try ConfigurationFolder()
        for (name, reason) in [("none.conf", "No such file or directory"), ("", "it is not a regular file")] {
            let problems = #expect(throws: ConfigurationProblems.self) {
                try Configuration.load(configFile: folder.path(name), stateDirectory: nil, environment: [:])
            }
            #expect(problems?.description == "\(folder.path(name)): can't be read: \(reason)")
        }
    }

    @Test func `with a state directory alone the defaults hold, all below it`() throws {
        let settings = try Configuration.load(
            configFile: nil, stateDirectory: FilePath("/srv/x/../t/"), environment: [:])
        let places = Places(below: try #require(FilePath("/srv/t")))
        #expect(settings == Settings(places: places, general: .init(), origins: [], routes: []))
        #expect(places.jobTable.description == "/srv/t/jobs.db")
    }

    @Test func `a state directory takes along what the file has below its own`() throws {
        let folder = try ConfigurationFolder(
            """
            [transferd]
            state_dir = /var/lib/transferd
            spool_dir = /srv/spool
            download_dirs = /var/lib/transferd/downloads
            download_dirs = /srv/more
            source_dirs = /srv/out
            """)
        let places = try folder.load(state: "/srv/t").places
        #expect(
            "\(places.state) \(places.spool) \(places.downloads)" == "/srv/t /srv/t/spool /srv/t/downloads")
        #expect(places.downloadDirectories.map(\.description) == ["/srv/t/downloads", "/srv/more"])
        #expect(places.sourceDirectories.map(\.description) == ["/srv/out"])
    }

    @Test func `a relative state directory is made absolute`() throws {
        let settings = try Configuration.load(
            configFile: nil, stateDirectory: FilePath("t"), environment: [:])
        #expect(settings.places.state.isAbsolute)
        #expect(settings.places.state.lastComponent == FileName("t"))
    }
}
