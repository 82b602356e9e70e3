/// A real vsftpd for anonymous users who may do everything: upload, append, rename, delete, make directories.
///
/// It serves as the user who starts it and without a chroot (vsftpd refuses anonymous users a root that they may write
/// to): paths in commands must be relative to the login directory, an absolute one is a path of this machine.
public final class VsftpdServer: Sendable {
    public enum TLS: Sendable {
        case off
        /// AUTH TLS demanded for commands and data, and one session for both (`require_ssl_reuse`).
        case explicit
        /// TLS from the first byte on.
        case implicit
    }

    public let process: ServerProcess
    /// The directory that a client sees as its own.
    public let home: String
    /// Every command and reply, as vsftpd logs it.
    public let log: String
    private let directory: TemporaryDirectory

    private init(process: ServerProcess, home: String, log: String, directory: TemporaryDirectory) {
        self.process = process
        self.home = home
        self.log = log
        self.directory = directory
    }

    public var port: UInt16 { process.port }
    /// `ftp://127.0.0.1:PORT`.
    public var url: String { "ftp://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - bytesPerSecond: the limit of each connection.
    ///   - extra: more lines for vsftpd.conf.
    public static func start(
        in directory: TemporaryDirectory, tls: TLS = .off, bytesPerSecond: Int? = nil, extra: [String] = []
    ) async throws -> VsftpdServer {
        let program = try ServerProgram.path("vsftpd")
        let certificates = tls == .off ? nil : try await TestCertificates.make(in: directory)
        let home = try directory.makeDirectory("vsftpd")
        let empty = try directory.makeDirectory("vsftpd-empty")
        let log = directory.appending("vsftpd.log")
        let process = try await ServerProcess.start("vsftpd", in: directory) { port in
            var lines = base(port: port, home: home, empty: empty, log: log)
            if let bytesPerSecond { lines.append("anon_max_rate=\(bytesPerSecond)") }
            if let certificates { lines += secured(by: certificates, implicit: tls == .implicit) }
            let file = try directory.write(
                (lines + extra).joined(separator: "\n") + "\n", to: "vsftpd-\(port).conf")
            return [program, file]
        }
        return VsftpdServer(process: process, home: home, log: log, directory: directory)
    }

    /// Stops the server by its process id.
    public func stop() async { await process.stop() }

    private static func base(port: UInt16, home: String, empty: String, log: String) -> [String] {
        [
            "listen=YES", "listen_address=127.0.0.1", "listen_port=\(port)", "background=NO",
            "seccomp_sandbox=NO", "isolate=NO", "isolate_network=NO",
            "anonymous_enable=YES", "no_anon_password=YES", "anon_root=\(home)", "run_as_launching_user=YES",
            "ftp_username=nobody", "nopriv_user=nobody",
            "write_enable=YES", "anon_upload_enable=YES", "anon_mkdir_write_enable=YES",
            "anon_other_write_enable=YES", "anon_world_readable_only=NO", "anon_umask=022",
            "connect_from_port_20=NO", "use_localtime=NO", "mdtm_write=YES",
            "xferlog_enable=YES", "log_ftp_protocol=YES", "vsftpd_log_file=\(log)",
            "secure_chroot_dir=\(empty)", "max_per_ip=0", "max_clients=0",
        ]
    }

    private static func secured(by certificates: TestCertificates, implicit: Bool) -> [String] {
        [
            "ssl_enable=YES", "allow_anon_ssl=YES", "force_anon_logins_ssl=YES", "force_anon_data_ssl=YES",
            "require_ssl_reuse=YES", "ssl_ciphers=HIGH", "rsa_cert_file=\(certificates.certificate)",
            "rsa_private_key_file=\(certificates.key)",
        ] + (implicit ? ["implicit_ssl=YES"] : [])
    }
}
