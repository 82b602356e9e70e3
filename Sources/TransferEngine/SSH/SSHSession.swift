internal import CSSH
internal import Glibc
internal import TransferModel

/// One SSH connection with one channel, over libssh. Used on one queue.
///
/// It reads no configuration and no key of anybody's home directory, and asks nobody anything. Until
/// ``openSubsystem(_:)`` calls wait for the server, for `patience` at most; afterwards they never wait, but for
/// ``read(into:within:)`` and ``pause(until:within:)``. shutdown(2) on the connection from another queue ends every wait.
final class SSHSession {
    let session: OpaquePointer
    private var channel: OpaquePointer?

    /// AES first, which processors have instructions for: 2 GiB took 5.5 s with it and 8.3 s with ChaCha20.
    private static let ciphers =
        "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,"
        + "aes128-ctr,aes192-ctr,aes256-ctr"

    /// - Parameters:
    ///   - descriptor: a connected socket, which the session closes.
    ///   - algorithms: the signatures that the server may prove itself with, the best first.
    init(descriptor: Int32, host: String, user: String, algorithms: [String], patience: Duration) {
        guard let session = ssh_new() else { preconditionFailure("memory for an SSH session") }
        self.session = session
        var descriptor = descriptor
        var never = false
        var seconds = max(1, Int(patience.wholeMilliseconds / 1_000))
        ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &never)
        ssh_options_set(session, SSH_OPTIONS_FD, &descriptor)
        ssh_options_set(session, SSH_OPTIONS_TIMEOUT, &seconds)
        for (option, value) in [
            // Without a directory libssh looks for the home directory, and fails for users who have none.
            (SSH_OPTIONS_SSH_DIR, "/dev/null"), (SSH_OPTIONS_KNOWNHOSTS, "/dev/null"),
            (SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null"), (SSH_OPTIONS_HOST, host), (SSH_OPTIONS_USER, user),
            (SSH_OPTIONS_CIPHERS_C_S, Self.ciphers), (SSH_OPTIONS_CIPHERS_S_C, Self.ciphers),
            (SSH_OPTIONS_HOSTKEYS, algorithms.joined(separator: ",")),
        ] {
            ssh_options_set(session, option, value)
        }
    }

    deinit {
        // A farewell must not wait for the server.
        ssh_set_blocking(session, 0)
        if let channel { ssh_channel_free(channel) }
        ssh_free(session)
    }

    /// Exchanges keys with the server. Nothing is known about who it is before ``HostKey/init(session:)`` is looked at.
    func connect() throws(SSHError) {
        guard ssh_connect(session) == SSH_OK else { throw SSHError(session: session) }
    }

    /// Opens the channel, after the login; from now on nothing waits.
    func openSubsystem(_ name: String) throws(SSHError) {
        guard let channel = ssh_channel_new(session) else { throw SSHError(session: session) }
        self.channel = channel
        guard ssh_channel_open_session(channel) == SSH_OK else { throw SSHError(session: session) }
        guard ssh_channel_request_subsystem(channel, name) == SSH_OK else { throw SSHError(session: session) }
        ssh_set_blocking(session, 0)
    }

    // MARK: The channel

    /// Takes as many bytes as the server's window has room for; they go out with later calls if need be.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SSHError) -> Int {
        let count = ssh_channel_write(channel, bytes.baseAddress, UInt32(bytes.count))
        guard count >= 0 else { throw SSHError(session: session) }
        return Int(count)
    }

    /// The bytes that have come, as far as there is room; 0: none.
    func read(into space: UnsafeMutableRawBufferPointer) throws(SSHError) -> Int {
        let count = ssh_channel_read_nonblocking(channel, space.baseAddress, UInt32(space.count), 0)
        return try taken(count)
    }

    /// Waits for the first of them instead.
    func read(into space: UnsafeMutableRawBufferPointer, within time: Duration) throws(SSHError) -> Int {
        let patience = Int32(clamping: time.wholeMilliseconds)
        return try taken(
            ssh_channel_read_timeout(channel, space.baseAddress, UInt32(space.count), 0, patience))
    }

    private func taken(_ count: Int32) throws(SSHError) -> Int {
        if count > 0 { return Int(count) }
        if count == SSH_EOF || count == 0 && ssh_channel_is_eof(channel) != 0 {
            throw SSHError("the server ended the connection")
        }
        guard count == 0 || count == SSH_AGAIN else { throw SSHError(session: session) }
        return 0
    }

    /// Drops what the server's program has to say besides its protocol: kept, it would fill the window.
    func dropErrors() {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { space in
            while ssh_channel_read_nonblocking(channel, space.baseAddress, UInt32(space.count), 1) > 0 {}
        }
    }

    /// Whether bytes that were taken still wait to go out.
    var isBusy: Bool { ssh_get_status(session) & SSH_WRITE_PENDING != 0 }

    /// Waits until the connection can be read, or written where bytes wait to go out, or `wake` is signalled.
    ///
    /// - Parameter isDeaf: whether what comes from the server is left alone; that the connection is broken is noticed.
    func pause(until wake: WakeSignal?, within time: Duration, isDeaf: Bool = false) {
        let events = (isDeaf ? 0 : Int16(POLLIN)) | (isBusy ? Int16(POLLOUT) : 0)
        var waits = [pollfd(fd: ssh_get_fd(session), events: events, revents: 0)]
        if let wake { waits.append(pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)) }
        poll(&waits, nfds_t(waits.count), Int32(clamping: time.wholeMilliseconds))
        wake?.clear()
    }

    /// The name of the algorithm that encrypts what we send.
    var cipher: String { ssh_get_cipher_out(session).map { String(cString: $0) } ?? "" }
    var keyExchange: String { ssh_get_kex_algo(session).map { String(cString: $0) } ?? "" }
    /// How the server calls itself: `SSH-2.0-OpenSSH_9.2p1`.
    var serverName: [UInt8] { ssh_get_serverbanner(session).map { Array(String(cString: $0).utf8) } ?? [] }
}
