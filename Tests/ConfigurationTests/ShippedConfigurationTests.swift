import TestServers
import Testing
import TransferModel

@testable import TransferConfiguration

/// `config/transferd.conf` against the tables of keys.
@Suite struct ShippedConfigurationTests {
    private static func text(of file: String = "config/transferd.conf") throws -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return String(decoding: try TestFile.read("/\(root)/\(file)"), as: UTF8.self)
    }

    /// With the `#` taken from every key and header: prose comments have a blank after theirs.
    private static func uncommented() throws -> [Substring] {
        try text().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
        }
    }

    @Test func `it is the default in every value`() throws {
        let settings = try ConfigurationFolder(Self.text()).load()
        #expect(settings.places == Places(below: Places.defaultState))
        #expect(settings.general == Settings.General())
        #expect(settings.origins == [OriginSettings(name: "any", matches: [OriginPattern(host: "*")])])
        #expect(settings.routes.isEmpty)
    }

    @Test func `every key stands in it below its comment, at its default where it has one`() throws {
        let lines = try Self.uncommented()
        func check<Section>(_ keys: [ConfigurationKey<Section>], _ section: Section) {
            for key in keys {
                let own = lines.indices.filter { lines[$0].hasPrefix("\(key.name) =") }
                let isDocumented = own.contains { lines[$0 - 1] == "# \(key.documentation)" }
                #expect(isDocumented, "key '\(key.name)' has no line below its comment")
                let defaults = key.values(section).map { "\(key.name) = \($0)" }
                let shown = own.map { String(lines[$0]) }
                #expect(
                    defaults.allSatisfy(shown.contains),
                    "key '\(key.name)' is shown as \(shown), not \(defaults)")
            }
        }
        check(GeneralSection.keys, GeneralSection())
        check(OriginSettings.keys, OriginSettings(name: "any", matches: [OriginPattern(host: "*")]))
        check(RouteSection.keys, RouteSection(name: "camera"))
    }

    /// The first cells of the README's table under a header, and what stands in backquotes in them.
    private static func keysInReadme(below header: String) throws -> Set<String> {
        let lines = try text(of: "README.md").split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| \(header) |") })
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
        let names = rows.flatMap { row -> [Substring] in
            let cell = row.split(separator: "|").first ?? ""
            return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map(\.element)
        }
        return Set(names.map(String.init))
    }

    @Test func `the tables of the README have every key and no other`() throws {
        let delivery = Set(DeliveryWishes.keys.map(\.name))
        #expect(try Self.keysInReadme(below: "uploads") == delivery)
        let request = Set(RequestWishes.keys.map(\.name))
        #expect(try Self.keysInReadme(below: "requests") == request)
        #expect(try Self.keysInReadme(below: "`[transferd]`") == Set(GeneralSection.keys.map(\.name)))
        let origin = Set(OriginSettings.keys.map(\.name)).subtracting(delivery).subtracting(request)
        #expect(try Self.keysInReadme(below: "`[origin NAME]`") == origin)
        let route = Set(RouteSection.keys.map(\.name)).subtracting(delivery).subtracting(request)
        #expect(try Self.keysInReadme(below: "`[route NAME]`") == route)
    }

    @Test func `what is commented out is right as well`() throws {
        let settings = try ConfigurationFolder(Self.uncommented().joined(separator: "\n")).load()
        #expect(settings.routes.map(\.name) == ["camera", "reports", "incoming"])
        #expect(settings.general.netrc == FilePath("/etc/transferd/netrc"))
    }
}
