import FoundationEssentials
import TestServers
import Testing

extension Whole {
    /// What web services find in our forms.
    @Suite struct FormParserTests {
        /// One job of a job file.
        private struct Order: Encodable {
            struct Field: Encodable {
                var name: String
                var value: String?
                var file: String?
                var filename: String?
                var type: String?
            }

            let kind = "form"
            let url: String
            let fields: [Field]
        }

        @Test
        func
            `forty forms are found equal and in order by four parsers, and their bytes are those of RFC 7578`()
            async throws
        {
            try await withTemporaryDirectory { directory in
                let forms = SampleForms.all(largest: Scale.pick(quick: 20_000_000, full: 300_000_000))
                #expect(forms.count == 40)
                let raw = try ScriptedHTTPServer { _ in .text("received") }
                let php = try await PHPServer.start(in: directory)
                let fpm = try await PHPFPMServer.start(in: directory)
                let werkzeug = try await FormReceiver.start(.werkzeug, in: directory)
                let perl = try await FormReceiver.start(.perl, in: directory)
                let sources = try directory.makeDirectory("sources")
                let installation = try Installation(directory, general: ["source_dirs = \(sources)"])
                let urls = [raw.url, php.url, fpm.url, werkzeug.url, perl.url]
                let orders = try urls.flatMap { url in
                    try forms.enumerated().map { try order($1, $0, at: url, sources) }
                }
                let jobs = try await installation.enqueueAll(
                    ["--from", try write(orders, to: directory.appending("jobs.json"))])
                #expect(jobs.count == 200)
                let daemon = try await installation.startDaemon()
                try await installation.expectDone(jobs, within: .seconds(300))
                try compare(forms, raw)
                try compare(forms, php.requests(), "PHP")
                try compare(forms, fpm.requests(), "php-fpm")
                try compare(forms, werkzeug)
                try compare(forms, perl)
                try await daemon.sigterm()
                for receiver in [werkzeug, perl] { await receiver.stop() }
                await fpm.stop()
                await php.stop()
            }
        }

        // MARK: Sending

        private func order(
            _ form: ReferenceForm, _ number: Int, at url: String, _ sources: String
        ) throws -> Order {
            let fields = try form.parts.enumerated().map { index, part in
                guard let filename = part.filename else {
                    let text = String(decoding: part.content.bytes, as: UTF8.self)
                    return Order.Field(name: part.name, value: text, type: part.type)
                }
                let file = "\(sources)/\(number)-\(index)"
                if !TestFile.exists(file) { try TestFile.write(part.content, to: file) }
                return Order.Field(name: part.name, file: file, filename: filename, type: part.type)
            }
            return Order(url: "\(url)/?form=\(number)", fields: fields)
        }

        private func write(_ orders: [Order], to path: String) throws -> String {
            let lines = try orders.map { try Array(JSONEncoder().encode($0)) + [UInt8(ascii: "\n")] }
            try TestFile.write(Array(lines.joined()), to: path)
            return path
        }

        // MARK: Comparing

        private func compare(_ forms: [ReferenceForm], _ raw: ScriptedHTTPServer) throws {
            #expect(raw.requests.count == forms.count)
            for request in raw.requests {
                let form = try #require(self.number(request.target).map { forms[$0] })
                let type = try #require(request.header("Content-Type"))
                #expect(type.hasPrefix("multipart/form-data; boundary="))
                let expected = form.body(boundary: String(type.drop { $0 != "=" }.dropFirst()))
                #expect(request.bodyLength == expected.length)
                #expect(request.header("Content-Length") == "\(expected.length)")
                #expect(request.bodySHA256 == expected.sha256, "\(request.target)")
            }
        }

        private func compare(_ forms: [ReferenceForm], _ receiver: FormReceiver) throws {
            let received = try receiver.forms()
            for (number, form) in forms.enumerated() {
                #expect(received[number] == form.received, "\(receiver.kind.rawValue), form \(number)")
            }
        }

        /// PHP tells fields apart from files, and of both the order; it makes arrays of names with brackets.
        private func compare(_ forms: [ReferenceForm], _ requests: [PHPRequest], _ parser: String) throws {
            #expect(requests.count == forms.count)
            for request in requests {
                let number = try #require(self.number(request.uri))
                let form = forms[number]
                let texts = form.parts.filter { $0.filename == nil }
                #expect(request.fields == PHPFields.of(texts), "\(parser), form \(number)")
                let files = form.parts.filter { $0.filename != nil }
                let name = { (part: ReferenceForm.Part) in String(part.writtenName.prefix { $0 != "[" }) }
                #expect(request.files.map(\.field) == files.map(name), "\(parser), form \(number)")
                #expect(
                    request.files.map(\.fullPath) == files.map(\.writtenFilename), "\(parser), form \(number)"
                )
                #expect(
                    request.files.map(\.sha256) == files.map(\.content.sha256), "\(parser), form \(number)")
                // PHP cuts a type's parameters off.
                let types = files.map { $0.type.map { String($0.prefix { $0 != ";" }) } }
                #expect(request.files.map(\.type) == types, "\(parser), form \(number)")
                #expect(request.files.allSatisfy { $0.error == 0 })
            }
        }

        private func number(_ target: String) -> Int? {
            target.split(separator: "=").last.flatMap { Int($0) }
        }
    }
}

/// What PHP makes of text fields: `a.b c` becomes `a_b_c`, `f[]` an array, and of one name the last value counts.
enum PHPFields {
    static func of(_ parts: [ReferenceForm.Part]) -> [PHPRequest.Field] {
        var fields: [PHPRequest.Field] = []
        var next: [String: Int] = [:]
        for part in parts {
            let written = part.writtenName
            let base = written.prefix { $0 != "[" }
            var name =
                base.map { $0 == " " || $0 == "." ? "_" : String($0) }.joined()
                + written.dropFirst(base.count)
            if name.hasSuffix("[]") {
                let index = next[name, default: 0]
                next[name] = index + 1
                name = name.dropLast(2) + "[\(index)]"
            }
            fields.append(.init(name: name, value: String(decoding: part.content.bytes, as: UTF8.self)))
        }
        return grouped(fields)
    }

    /// Values of one array stand together, where its first one stood.
    private static func grouped(_ fields: [PHPRequest.Field]) -> [PHPRequest.Field] {
        let bases = fields.map { String($0.name.prefix { $0 != "[" }) }
        let order = bases.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return order.flatMap { base in zip(bases, fields).filter { $0.0 == base }.map(\.1) }
    }
}
