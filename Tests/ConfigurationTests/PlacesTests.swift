import TestServers
import Testing
import TransferConfiguration
import TransferModel

/// Where the state directory is, by a configuration that has mistakes.
@Suite struct PlacesTests {
    private func places(_ text: String, state: String? = nil) throws -> ConfiguredPlaces {
        let folder = try ConfigurationFolder(text)
        return try Configuration.places(
            configFile: folder.path("transferd.conf"), stateDirectory: state.flatMap { FilePath($0) },
            environment: [:])
    }

    @Test(arguments: [
        "[transferd]\nstate_dir = /s\nlanes = many", "[transferd]\nstate_dir = /s\nlanse = 3",
        "[transferd]\nstate_dir = /s\n[route a\nkind = upload", "[transferd]\nstate_dir = /s\nwhat",
        "[route a]\nurl\n[transferd]\nstate_dir = /s", "[transferd]\nstate_dir = /s\n[rout b]\nx = y",
    ])
    func `a state directory that was read is known whatever else is wrong`(text: String) throws {
        let found = try places(text)
        #expect(found.places.state.description == "/s" && found.problems != nil)
    }

    @Test(arguments: [
        "[route a]\nkind = uplaod", "[route a]\nkind", "[origin x]\nlanes = 0", "[transferd]\nlanes = many",
        "[route a]\nkind = fetch\nurl = ftp://h/\nsettle = 1s",
        "[origin x]\nmatch = h\n[origin y]\nmatch = h",
    ])
    func `what cannot have been meant for it leaves the default`(text: String) throws {
        let found = try places(text)
        #expect(found.places.state == Places.defaultState && found.problems != nil)
    }

    @Test(arguments: [
        "[transferd]\nstate_dir = s", "[transferd]\nstate_dri = /s", "[transferd\nstate_dir = /s",
        "[transfred]\nstate_dir = /s", "state_dir = /s", "[transferd]\nstate_dir /s",
        "[transferd]\nstate_dir = /s\nstate_dir = /t", "[origin x]\nmatch = h\n[\nstate_dir = /s",
    ])
    func `nobody guesses which state directory is meant`(text: String) throws {
        #expect(throws: ConfigurationProblems.self) { try places(text) }
        #expect(try places(text, state: "/given").places.state.description == "/given")
    }

    @Test func `a file that is not there is a mistake for everybody`() throws {
        let folder = try ConfigurationFolder()
        #expect(throws: ConfigurationProblems.self) {
            try Configuration.places(
                configFile: folder.path("other.conf"), stateDirectory: FilePath("/s"), environment: [:])
        }
    }

    @Test func `nothing is wrong with a right one`() throws {
        #expect(try places("[transferd]\nstate_dir = /s").problems == nil)
    }
}
