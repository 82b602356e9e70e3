/// A real nginx that serves the files of one directory, with ranges, ETag and Last-Modified.
public final class NginxServer: Sendable {
    public let process: ServerProcess
    /// The directory whose files are served.
    public let home: String
    /// One line a request: status, bytes sent, Range, If-Range, request line.
    public let log: String
    private let scheme: String
    private let directory: TemporaryDirectory

    private init(
        process: ServerProcess, home: String, log: String, scheme: String, directory: TemporaryDirectory
    ) {
        self.process = process
        self.home = home
        self.log = log
        self.scheme = scheme
        self.directory = directory
    }

    public var port: UInt16 { process.port }
    /// `http://127.0.0.1:PORT`, or `https:`.
    public var url: String { "\(scheme)://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - bytesPerSecond: the limit of each request.
    ///   - extra: more directives inside `server { }`.
    ///   - modules: the files of dynamic modules.
    public static func start(
        in directory: TemporaryDirectory, tls: Bool = false, bytesPerSecond: Int? = nil, extra: [String] = [],
        modules: [String] = []
    ) async throws -> NginxServer {
        let program = try ServerProgram.path("nginx")
        let certificates = tls ? try await TestCertificates.make(in: directory) : nil
        let home = try directory.makeDirectory("nginx")
        let place = try directory.makeDirectory("nginx-run")
        let log = directory.appending("nginx.log")
        let process = try await ServerProcess.start("nginx", in: directory) { port in
            var lines = ["listen 127.0.0.1:\(port)\(tls ? " ssl" : "");", "root \(home);"]
            if let bytesPerSecond { lines.append("limit_rate \(bytesPerSecond);") }
            if let certificates {
                lines += [
                    "ssl_certificate \(certificates.certificate);",
                    "ssl_certificate_key \(certificates.key);",
                ]
            }
            let file = try directory.write(
                configuration(server: lines + extra, modules: modules, place: place, log: log),
                to: "nginx-\(port).conf")
            return [program, "-p", place, "-e", "\(place)/error.log", "-c", file]
        }
        return NginxServer(
            process: process, home: home, log: log, scheme: tls ? "https" : "http", directory: directory)
    }

    /// Stops the server by its process id.
    public func stop() async { await process.stop() }

    private static func configuration(
        server: [String], modules: [String], place: String, log: String
    ) -> String {
        """
        \(modules.map { "load_module \($0);" }.joined(separator: "\n"))
        daemon off;
        worker_processes 2;
        pid \(place)/nginx.pid;
        \(ServerProgram.isRoot ? "user root;" : "")
        events { worker_connections 512; }
        http {
            log_format short '$status $body_bytes_sent "$http_range" "$http_if_range" $request';
            access_log \(log) short;
            client_body_temp_path \(place)/body;
            proxy_temp_path \(place)/proxy;
            fastcgi_temp_path \(place)/fastcgi;
            uwsgi_temp_path \(place)/uwsgi;
            scgi_temp_path \(place)/scgi;
            sendfile on;
            server {
                \(server.joined(separator: "\n        "))
            }
        }

        """
    }
}
