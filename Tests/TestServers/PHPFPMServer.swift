/// A real nginx that hands every form to a real php-fpm, whose script writes down what PHP saw.
public final class PHPFPMServer: Sendable {
    private let manager: ServerProcess
    private let nginx: NginxServer
    private let log: String

    private init(manager: ServerProcess, nginx: NginxServer, log: String) {
        self.manager = manager
        self.nginx = nginx
        self.log = log
    }

    public var url: String { nginx.url }

    public static func start(in directory: TemporaryDirectory) async throws -> PHPFPMServer {
        let program = try ServerProgram.path("php-fpm8.2")
        let log = directory.appending("php-fpm.jsonl")
        let place = try directory.makeDirectory("php-fpm")
        let manager = try await ServerProcess.start("php-fpm", in: directory) { port in
            let file = try directory.write(
                configuration(port: port, place: place), to: "php-fpm-\(port).conf")
            return [program, "-n", "-F", "-y", file] + (ServerProgram.isRoot ? ["-R"] : [])
        }
        let nginx = try await NginxServer.start(
            in: directory,
            extra: [
                "client_max_body_size 0;", "location / {", "fastcgi_pass 127.0.0.1:\(manager.port);",
                "fastcgi_param SCRIPT_FILENAME \(ServerProgram.packageRoot)/.ci/receive.php;",
                "fastcgi_param RECEIVED \(log);", "fastcgi_param REQUEST_METHOD $request_method;",
                "fastcgi_param REQUEST_URI $request_uri;", "fastcgi_param QUERY_STRING $query_string;",
                "fastcgi_param CONTENT_TYPE $content_type;", "fastcgi_param CONTENT_LENGTH $content_length;",
                "}",
            ])
        return PHPFPMServer(manager: manager, nginx: nginx, log: log)
    }

    public func stop() async {
        await nginx.stop()
        await manager.stop()
    }

    /// What PHP has received so far, in the order of arrival.
    public func requests() throws -> [PHPRequest] { try PHPRequest.all(in: log) }

    private static func configuration(port: UInt16, place: String) -> String {
        """
        [global]
        error_log = /dev/stderr
        daemonize = no
        [www]
        \(ServerProgram.isRoot ? "user = root\ngroup = root" : "")
        listen = 127.0.0.1:\(port)
        pm = static
        pm.max_children = 4
        catch_workers_output = yes
        php_admin_value[post_max_size] = 0
        php_admin_value[upload_max_filesize] = 100G
        php_admin_value[max_file_uploads] = 10000
        php_admin_value[max_input_vars] = 100000
        php_admin_value[memory_limit] = -1
        php_admin_value[upload_tmp_dir] = \(place)

        """
    }
}
