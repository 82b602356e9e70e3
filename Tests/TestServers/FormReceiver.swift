import FoundationEssentials

/// A real web server with a form parser that nobody here has written, and what it found in each form.
///
/// The address of a form carries its number: `?form=7`.
public final class FormReceiver: Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Python's Werkzeug behind its own server.
        case werkzeug = "Werkzeug"
        /// Perl's CGI.pm behind a socket.
        case perl = "CGI.pm"
    }

    public let kind: Kind
    public let process: ServerProcess
    private let log: String

    private init(kind: Kind, process: ServerProcess, log: String) {
        self.kind = kind
        self.process = process
        self.log = log
    }

    /// `http://127.0.0.1:PORT`.
    public var url: String { "http://127.0.0.1:\(process.port)" }

    public static func start(_ kind: Kind, in directory: TemporaryDirectory) async throws -> FormReceiver {
        let log = directory.appending("\(kind.rawValue).jsonl")
        let root = ServerProgram.packageRoot
        let unpacked = ServerProgram.unpackedRoot
        let process: ServerProcess
        switch kind {
        case .werkzeug:
            let packages = [
                "PYTHONPATH": "\(unpacked)/usr/lib/python3/dist-packages", "PYTHONDONTWRITEBYTECODE": "1",
            ]
            process = try await ServerProcess.start("werkzeug", in: directory, environment: packages) {
                port in
                ["/usr/bin/python3", "\(root)/.ci/receive.py", "\(port)", log]
            }
        case .perl:
            let packages = ["PERL5LIB": "\(unpacked)/usr/share/perl5", "TMPDIR": directory.path]
            process = try await ServerProcess.start("perl", in: directory, environment: packages) { port in
                ["/usr/bin/perl", "\(root)/.ci/receive.pl", "\(port)", log]
            }
        }
        return FormReceiver(kind: kind, process: process, log: log)
    }

    public func stop() async { await process.stop() }

    /// The parts of each form in order, by the form's number.
    public func forms() throws -> [Int: [ReceivedPart]] {
        let lines = TestFile.text(log).utf8.split(separator: UInt8(ascii: "\n"))
        let forms = try lines.map { try JSONDecoder().decode(ReceivedForm.self, from: Data($0)) }
        return Dictionary(forms.map { ($0.form, $0.parts) }) { $0 + $1 }
    }
}

private struct ReceivedForm: Decodable {
    let form: Int
    let parts: [ReceivedPart]
}

/// One part as a parser found it.
public struct ReceivedPart: Decodable, Hashable, Sendable {
    /// Bytes in hexadecimal.
    public let name: String
    public let filename: String?
    public let type: String?
    public let size: Int
    public let sha256: String

    public init(name: String, filename: String?, type: String?, size: Int, sha256: String) {
        self.name = name
        self.filename = filename
        self.type = type
        self.size = size
        self.sha256 = sha256
    }
}
