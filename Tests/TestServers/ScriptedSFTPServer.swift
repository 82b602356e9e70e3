import CSSH
import Glibc
import Synchronization

/// An SSH server with SFTP version 3 over files in memory, which errs where it is told to.
///
/// Any user gets in with ``password``.
public final class ScriptedSFTPServer: Sendable {
    /// How the password is asked for.
    public enum Login: Sendable {
        case password
        /// As the answer to a question (RFC 4256).
        case interactive
    }

    public static let password = "correct horse"

    private let listener: ScriptedListener
    private let script: SFTPScript
    /// A line for known_hosts.
    public let knownHost: String

    /// - Parameters:
    ///   - extensions: that the server says it has, all of version 1.
    ///   - behaviour: decides on each request.
    public init(
        login: Login = .password, extensions: [String] = ["posix-rename@openssh.com"],
        behaviour: @escaping @Sendable (SFTPRequest) -> SFTPBehaviour = { _ in .right }
    ) throws {
        let key = try ServerKey()
        listener = try ScriptedListener()
        script = SFTPScript(extensions: extensions, behaviour: behaviour)
        knownHost = "[127.0.0.1]:\(listener.port) ssh-ed25519 \(try key.publicText)\n"
        listener.start { [script] stream, _ in
            Self.serve(stream.fd, key, login, script)
        }
    }

    deinit { listener.stop() }

    public var port: UInt16 { listener.port }
    public var url: String { "sftp://user@127.0.0.1:\(port)" }
    /// Connections taken so far.
    public var connections: Int { listener.connections }
    /// Ends all open connections; new ones are taken.
    public func cutConnections() { listener.cutConnections() }

    /// The files by path.
    public var files: [String: [UInt8]] { script.files }
    public var requests: [SFTPRequest] { script.requests }

    private static func serve(_ descriptor: Int32, _ key: ServerKey, _ login: Login, _ script: SFTPScript) {
        guard let session = ssh_new() else { return }
        defer {
            ssh_disconnect(session)
            ssh_free(session)
        }
        // The session closes its own descriptor.
        guard key.accept(dup(descriptor), session), ssh_handle_key_exchange(session) == SSH_OK,
            let channel = openChannel(session, login)
        else { return }
        defer { ssh_channel_free(channel) }
        var input: [UInt8] = []
        var space = [UInt8](repeating: 0, count: 65_536)
        var handles = SFTPHandles()
        while true {
            let count = ssh_channel_read(channel, &space, UInt32(space.count), 0)
            guard count > 0 else { return }
            input += space[..<Int(count)]
            while let packet = SFTPScript.packet(&input) {
                guard let answer = script.answer(packet, &handles) else { return }
                guard answer.isEmpty || ssh_channel_write(channel, answer, UInt32(answer.count)) > 0 else {
                    return
                }
            }
        }
    }

    /// Lets the user in and waits for the subsystem to be asked for.
    private static func openChannel(_ session: OpaquePointer, _ login: Login) -> OpaquePointer? {
        var channel: OpaquePointer?
        while let message = ssh_message_get(session) {
            defer { ssh_message_free(message) }
            switch UInt32(ssh_message_type(message)) {
            case SSH_REQUEST_AUTH.rawValue: answer(message, session, login)
            case SSH_REQUEST_CHANNEL_OPEN.rawValue:
                channel = ssh_message_channel_request_open_reply_accept(message)
            case SSH_REQUEST_CHANNEL.rawValue:
                ssh_message_channel_request_reply_success(message)
                return channel
            default: ssh_message_reply_default(message)
            }
        }
        return nil
    }

    private static func answer(_ message: OpaquePointer, _ session: OpaquePointer, _ login: Login) {
        let method = UInt32(bitPattern: ssh_message_subtype(message))
        switch (login, method) {
        case (.password, SSH_AUTH_METHOD_PASSWORD): ssh_message_auth_reply_success(message, 0)
        case (.interactive, SSH_AUTH_METHOD_INTERACTIVE):
            if ssh_message_auth_kbdint_is_response(message) != 0 {
                let given = ssh_userauth_kbdint_getanswer(session, 0).map { String(cString: $0) }
                if given == password {
                    ssh_message_auth_reply_success(message, 0)
                } else {
                    refuse(message, login)
                }
            } else {
                ask(message)
            }
        default: refuse(message, login)
        }
    }

    private static func refuse(_ message: OpaquePointer, _ login: Login) {
        let method =
            switch login {
            case .password: SSH_AUTH_METHOD_PASSWORD
            case .interactive: SSH_AUTH_METHOD_INTERACTIVE
            }
        ssh_message_auth_set_methods(message, Int32(method))
        ssh_message_reply_default(message)
    }

    private static func ask(_ message: OpaquePointer) {
        var echo: CChar = 0
        "Password: ".withCString { prompt in
            var prompts: UnsafePointer<CChar>? = prompt
            withUnsafeMutablePointer(to: &prompts) {
                _ = ssh_message_auth_interactive_request(message, "", "", 1, $0, &echo)
            }
        }
    }
}

/// The key that a scripted server shows, and what takes its connections.
// @unchecked: libssh only reads from the key and the options once they are made, and connections are taken under the lock.
private final class ServerKey: @unchecked Sendable {
    private let bind: OpaquePointer
    private let key: OpaquePointer
    private let lock = Mutex(())

    init() throws {
        var key: OpaquePointer?
        guard ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) == SSH_OK, let key, let bind = ssh_bind_new()
        else {
            throw TestServerError("a key for an SSH server")
        }
        self.bind = bind
        self.key = key
        var never = false
        ssh_bind_options_set(bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &never)
        // The options own what they import.
        ssh_bind_options_set(bind, SSH_BIND_OPTIONS_IMPORT_KEY, UnsafeRawPointer(key))
    }

    deinit { ssh_bind_free(bind) }

    var publicText: String {
        get throws {
            var text: UnsafeMutablePointer<CChar>?
            guard ssh_pki_export_pubkey_base64(key, &text) == SSH_OK, let text else {
                throw TestServerError("the text of a key")
            }
            defer { ssh_string_free_char(text) }
            return String(cString: text)
        }
    }

    func accept(_ descriptor: Int32, _ session: OpaquePointer) -> Bool {
        lock.withLock { _ in ssh_bind_accept_fd(bind, session, descriptor) == SSH_OK }
    }
}
