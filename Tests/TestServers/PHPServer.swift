import FoundationEssentials

/// A real `php -S` whose one script receives every form and writes down what PHP saw.
///
/// The query of a request may ask for `status=503`, `delay_ms=300`, or a header by `retry_after=3`.
public final class PHPServer: Sendable {
    public let process: ServerProcess
    /// One JSON line for each request that arrived whole.
    public let log: String
    private let directory: TemporaryDirectory

    private init(process: ServerProcess, log: String, directory: TemporaryDirectory) {
        self.process = process
        self.log = log
        self.directory = directory
    }

    public var port: UInt16 { process.port }
    /// `http://127.0.0.1:PORT`.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter workers: how many requests are answered at the same time.
    public static func start(in directory: TemporaryDirectory, workers: Int = 4) async throws -> PHPServer {
        let place = try directory.makeDirectory("php")
        let log = directory.appending("php.jsonl")
        let script = "\(ServerProgram.packageRoot)/.ci/receive.php"
        let environment = ["PHP_CLI_SERVER_WORKERS": String(workers), "RECEIVED": log]
        let process = try await ServerProcess.start("php", in: directory, environment: environment) { port in
            [
                "php", "-n", "-d", "post_max_size=0", "-d", "upload_max_filesize=100G",
                "-d", "max_file_uploads=10000", "-d", "max_input_vars=100000", "-d", "memory_limit=-1",
                "-d", "max_execution_time=0", "-d", "upload_tmp_dir=\(place)", "-d", "display_errors=stderr",
                "-d", "variables_order=EGPCS", "-S", "127.0.0.1:\(port)", "-t", place, script,
            ]
        }
        return PHPServer(process: process, log: log, directory: directory)
    }

    /// Stops the server by its process id.
    public func stop() async { await process.stop() }

    /// What PHP has received so far, in the order of arrival.
    public func requests() throws -> [PHPRequest] { try PHPRequest.all(in: log) }
}

/// One request as PHP saw it.
public struct PHPRequest: Decodable, Sendable {
    /// A field of `$_POST`, nested names written out: `f[0]`.
    public struct Field: Decodable, Sendable, Equatable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A file of `$_FILES`; `error` 0 means that it came whole.
    public struct File: Decodable, Sendable, Equatable {
        public let field: String
        public let name: String
        /// As it was sent: ``name`` is cut after its last slash or backslash.
        public let fullPath: String
        public let type: String
        public let size: Int
        public let error: Int
        public let sha256: String?

        private enum CodingKeys: String, CodingKey {
            case field, name, type, size, error, sha256
            case fullPath = "full_path"
        }
    }

    public let method: String
    public let uri: String
    /// By lower-case name.
    public let headers: [String: String]
    /// In the order of arrival.
    public let fields: [Field]
    public let files: [File]

    /// One of each line of a log.
    static func all(in log: String) throws -> [PHPRequest] {
        let lines = TestFile.text(log).utf8.split(separator: UInt8(ascii: "\n"))
        return try lines.map { try JSONDecoder().decode(PHPRequest.self, from: Data($0)) }
    }
}
