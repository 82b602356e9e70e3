import Glibc

/// A real web server that stores what is PUT, and speaks more or less of WebDAV.
public final class WebDAVServer: Sendable {
    public enum Kind: Sendable, CaseIterable {
        /// nginx with its own module alone: PUT, DELETE, MKCOL, MOVE, no PROPFIND.
        case nginxPlain
        /// With the module that adds PROPFIND and OPTIONS.
        case nginx
        case apache
        case rclone
    }

    public let process: ServerProcess
    /// The directory whose files are served.
    public let home: String
    /// Requests or complaints of the server.
    public let log: String
    private let directory: TemporaryDirectory

    private init(process: ServerProcess, home: String, log: String, directory: TemporaryDirectory) {
        self.process = process
        self.home = home
        self.log = log
        self.directory = directory
    }

    public var port: UInt16 { process.port }
    /// `http://127.0.0.1:PORT`.
    public var url: String { "http://127.0.0.1:\(port)" }

    public static func start(_ kind: Kind, in directory: TemporaryDirectory) async throws -> WebDAVServer {
        switch kind {
        case .nginxPlain, .nginx: try await nginx(in: directory, isExtended: kind == .nginx)
        case .apache: try await apache(in: directory)
        case .rclone: try await rclone(in: directory)
        }
    }

    /// Stops the server by its process id.
    public func stop() async { await process.stop() }

    private static func nginx(in directory: TemporaryDirectory, isExtended: Bool) async throws -> WebDAVServer
    {
        let module = "\(ServerProgram.unpackedRoot)/usr/lib/nginx/modules/ngx_http_dav_ext_module.so"
        let server = try await NginxServer.start(
            in: directory,
            extra: [
                "client_max_body_size 0;", "client_body_buffer_size 128k;",
                "dav_access user:rw group:r all:r;",
                "dav_methods PUT DELETE MKCOL COPY MOVE;",
            ] + (isExtended ? ["dav_ext_methods PROPFIND OPTIONS;"] : []),
            modules: isExtended ? [module] : [])
        return WebDAVServer(
            process: server.process, home: server.home, log: server.log, directory: directory)
    }

    private static func apache(in directory: TemporaryDirectory) async throws -> WebDAVServer {
        let program = try ServerProgram.path("apache2")
        let home = try ServerProgram.makeServed("apache", in: directory)
        let place = try ServerProgram.makeServed("apache-run", in: directory)
        let log = "\(place)/error.log"
        let user = try ServerProgram.servedUser
        let process = try await ServerProcess.start("apache2", in: directory) { port in
            let modules = ["mpm_event", "authn_core", "authz_core", "dav", "dav_fs"].map {
                "LoadModule \($0)_module \(ServerProgram.unpackedRoot)/usr/lib/apache2/modules/mod_\($0).so"
            }
            let lines =
                modules + [
                    "ServerRoot \(place)", "ServerName 127.0.0.1", "Listen 127.0.0.1:\(port)",
                    "PidFile \(place)/pid", "DefaultRuntimeDir \(place)", "Mutex posixsem",
                    "User \(user)", "Group #\(ServerProgram.servedIdentity.group)",
                    "ErrorLog \(log)", "LogLevel warn", "DocumentRoot \(home)", "DavLockDB \(place)/locks",
                    "LimitXMLRequestBody 1000000", "ThreadsPerChild 16", "StartServers 1",
                    "MaxRequestWorkers 64",
                    "<Directory \(home)>", "Dav On", "Require all granted", "</Directory>",
                ]
            let file = try directory.write(lines.joined(separator: "\n") + "\n", to: "apache-\(port).conf")
            return [program, "-D", "FOREGROUND", "-f", file]
        }
        return WebDAVServer(process: process, home: home, log: log, directory: directory)
    }

    private static func rclone(in directory: TemporaryDirectory) async throws -> WebDAVServer {
        let program = try ServerProgram.path("rclone")
        let home = try directory.makeDirectory("rclone")
        let process = try await ServerProcess.start("rclone", in: directory) { port in
            [
                program, "serve", "webdav", home, "--addr", "127.0.0.1:\(port)", "--config", "/dev/null",
                "--dir-cache-time", "0s", "--poll-interval", "0", "-v",
            ]
        }
        return WebDAVServer(process: process, home: home, log: process.output, directory: directory)
    }
}
