import Synchronization

/// A small FTP server with its files in memory, which does what its script says for each command and remembers all
/// commands in their order.
///
/// It knows USER PASS TYPE EPSV PASV SIZE MDTM STOR APPE RETR REST RNFR RNTO DELE MKD RMD CWD CDUP PWD LIST NLST MLSD
/// FEAT OPTS SYST NOOP ABOR QUIT, any user and password; with TLS also AUTH PBSZ PROT.
public final class ScriptedFTPServer: Sendable {
    public let files = FTPFiles()
    private let listener: ScriptedListener
    private let script: @Sendable (FTPCommand) -> FTPBehaviour
    private let log = Mutex<[FTPCommand]>([])

    /// Serves at once; `script` is asked for each command as it comes.
    ///
    /// - Parameter tls: what AUTH begins; without it AUTH is not known.
    public init(
        port: UInt16? = nil, tls: ScriptedTLS? = nil,
        script: @escaping @Sendable (FTPCommand) -> FTPBehaviour = { _ in .right }
    ) throws {
        listener = try ScriptedListener(port: port)
        self.script = script
        listener.start { [weak self] stream, number in
            guard let self else { return }
            var session = FTPSession(files: files, listener: listener, tls: tls)
            var line: [UInt8]? = Array("CONNECT".utf8)
            while let command = line.map({ note($0, connection: number) }) {
                let behaviour = self.script(command)
                guard session.perform(command, behaviour, on: stream) else { return }
                if let addition = behaviour.addition {
                    listener.wait(.milliseconds(300))
                    guard stream.send(addition + "\r\n") else { return }
                    _ = note(Array("ADDED".utf8), connection: number)
                }
                if let tls, session.takesUpTLS, !stream.secure(by: tls) { return }
                line = stream.readLine()
            }
        }
    }

    deinit { listener.stop() }

    public var port: UInt16 { listener.port }
    /// `ftp://127.0.0.1:PORT`.
    public var url: String { "ftp://127.0.0.1:\(port)" }
    /// The commands so far, in the order of their arrival; `CONNECT` stands for a new connection, `ADDED` for words that no
    /// command asked for.
    public var commands: [FTPCommand] { log.withLock { $0 } }
    /// The lines of the commands so far, as text.
    public var lines: [String] { commands.map(\.line) }
    /// Control connections taken so far.
    public var connections: Int { listener.connections }

    /// Refuses new connections and ends the open ones.
    public func stop() { listener.stop() }

    /// Ends all open connections; new ones are taken.
    public func cutConnections() { listener.cutConnections() }

    private func note(_ line: [UInt8], connection: Int) -> FTPCommand {
        let parts = line.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
        let verb = String(decoding: parts.first ?? [], as: UTF8.self).uppercased()
        return log.withLock { log in
            let command = FTPCommand(
                verb: verb, argument: parts.count > 1 ? Array(parts[1]) : [],
                occurrence: log.count { $0.verb == verb }, connection: connection)
            log.append(command)
            return command
        }
    }
}
