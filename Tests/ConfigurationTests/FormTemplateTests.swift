import Testing
import TransferModel

@testable import TransferConfiguration

@Suite struct FormTemplateKeys {
    private func problem(_ lines: String..., url: String = "http://h/") throws -> String {
        let text = "[route f]\nkind = form\nurl = \(url)\n" + lines.joined(separator: "\n") + "\n"
        let error = #expect(throws: ConfigurationProblems.self) { try ConfigurationFolder(text).load() }
        return "\(error.map(String.init(describing:)) ?? "")"
    }

    @Test func `what no template is of a form's is refused with its line`() throws {
        #expect(try problem("field = a={\"k\": 1}").contains("'{{' and '}}' are braces"))
        #expect(try problem("field = a={nam}").contains("{nam} is none of {name}"))
        #expect(try problem("field = secret={x").contains("conf:4: key 'field': the value of 'secret'"))
        #expect(try problem("field = a={path}").contains("{path} has no meaning in it"))
        #expect(try problem("field = a={size:%Y}").contains("only {date} and {mtime}"))
        #expect(try problem("field = a={date:%Q}").contains("none of strftime's"))
        #expect(try problem("header = X: {directory}").contains("has no meaning"))
        #expect(try problem("filename = {stem}/{ext}").contains("it is no name of a file"))
        #expect(try problem("file_type = text").contains("image/jpeg"))
        #expect(try problem(url: "http://h/{nam}").contains("url"))
        #expect(try problem(url: "http://{name}/").contains("in the path and the query"))
    }

    @Test func `what a template may be stands as it was written`() throws {
        let folder = try ConfigurationFolder(
            "[route f]\nkind = form\nurl = http://h/{date:%Y}/?n={name}\nfield = a={{{sha256}}}\n")
        let route = try #require(try folder.load().routes.first)
        #expect(route.url.path == "/{date:%Y}/?n={name}")
        #expect(route.fields.map(\.value) == ["{{{sha256}}}"])
    }

    @Test func `before the first byte nothing knows the digest`() throws {
        #expect(throws: InvalidOption.self) { try DeliveryOptions.read(["before=SITE X {sha256}"]) }
        #expect(throws: InvalidOption.self) { try DeliveryOptions.read(["temp_name={id}.{sha256}"]) }
        let wishes = try DeliveryOptions.read(["marker={name}.{sha256}", "after_sent=SITE {mtime:%H}"])
        #expect(wishes.marker?.contains(.sha256) == true)
    }
}
