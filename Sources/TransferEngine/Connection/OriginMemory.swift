internal import Synchronization

/// What was learned of a server while the daemon runs: shared by all lanes to one origin, so that it is found out, and
/// said, once.
///
/// Nothing in it is needed to be right, all of it saves a try. A new configuration forgets it. Safe from every queue.
public final class OriginMemory: Sendable {
    /// How TLS sessions are used between control and data connections (RFC 4217, section 10).
    enum SessionReuse: Hashable, Sendable {
        /// Kept for the control connection's life, as servers like it that demand reuse.
        case kept
        /// The server refuses a data connection after the first one: a connection of its own for every transfer.
        case once
        /// The server refuses data connections that resume a session.
        case never
    }

    /// What the log has said of the origin already.
    enum Saying: Hashable, Sendable {
        case clearPassword, sessionReuse, holdsGreeting
    }

    private struct State: Hashable {
        var features: ServerFeatures?
        var useless: Set<String> = []
        var sessionReuse = SessionReuse.kept
        /// A data connection ended in a way that may mean anything: for how many transfers more that is suspicious.
        var suspicion = 0
        var holdsGreeting = false
        var said: Set<Saying> = []
    }

    private let state = Mutex(State())
    private let patience = Atomic(false)
    private let telnet = Atomic(Telnet.unknown.rawValue)

    public init() {}

    /// Whether the server reads commands that come together one after the other, as it is certain of some by what they
    /// call themselves. Not worth keeping: each new connection shows it.
    var takesSeveralCommands: Bool { patience.load(ordering: .relaxed) }

    /// Programs of which the tests know it.
    private static let patient = ["vsftpd", "proftpd", "pure-ftpd", "pyftpdlib"]

    /// What byte 255 in a command is to the server.
    enum Telnet: Int {
        /// Nobody has seen its greeting yet.
        case unknown
        /// A byte like any other.
        case plain
        /// The beginning of a command of Telnet's, and as a byte sent twice (RFC 854; RFC 959, section 2.3).
        case spoken
    }

    /// Of most servers nobody knows it: those that tests know, but proftpd, take the byte as it is.
    var commandsSpeakTelnet: Telnet { Telnet(rawValue: telnet.load(ordering: .relaxed)) ?? .unknown }

    /// `text`: the greeting of a new connection.
    func note(greeting text: [UInt8]) {
        let words = String(decoding: text, as: UTF8.self).lowercased()
        patience.store(Self.patient.contains { words.contains($0) }, ordering: .relaxed)
        let speaksTelnet = words.contains("proftpd")
        telnet.store((speaksTelnet ? Telnet.spoken : .plain).rawValue, ordering: .relaxed)
    }

    /// The reply to FEAT; nil: not asked yet.
    var features: ServerFeatures? {
        get { state.withLock { $0.features } }
        set { state.withLock { $0.features = newValue } }
    }

    /// Whether a command, such as `MFMT`, was refused as one that the server does not know.
    func lacks(_ command: String) -> Bool { state.withLock { $0.useless.contains(command) } }

    func noteLack(of command: String) { state.withLock { _ = $0.useless.insert(command) } }

    var sessionReuse: SessionReuse { state.withLock { $0.sessionReuse } }

    /// A transfer that was refused went well this way. It is the way of all from now on when the refusal was certainly
    /// for the session, or one of two in a few transfers; returns whether it is.
    func confirm(_ reuse: SessionReuse, isCertain: Bool) -> Bool {
        state.withLock { state in
            guard isCertain || state.suspicion > 0 else {
                state.suspicion = Self.longestSuspicion
                return false
            }
            state.sessionReuse = reuse
            return true
        }
    }

    private static let longestSuspicion = 8

    /// A transfer went well at once: what was suspected of the sessions may have been something else.
    func trust() { state.withLock { $0.suspicion = max(0, $0.suspicion - 1) } }

    /// Whether the server ends a data connection on which something comes before STOR or RETR, as libcurl's TLS
    /// greeting does since 7.87: pyftpdlib is one.
    var holdsGreeting: Bool {
        get { state.withLock { $0.holdsGreeting } }
        set { state.withLock { $0.holdsGreeting = newValue } }
    }

    /// Whether it was not said before; it counts as said from here on.
    func isNew(_ saying: Saying) -> Bool { state.withLock { $0.said.insert(saying).inserted } }

    /// Begins anew.
    public func forget() { state.withLock { $0 = State() } }

    /// Whether nothing was learned.
    public var isBlank: Bool { state.withLock { $0 == State() } }
}

/// What a server says that it can: the lines of its reply to FEAT (RFC 2389, section 3.2).
struct ServerFeatures: Hashable, Sendable {
    /// Each without the blank before it, as they came.
    let lines: [String]

    /// Whether a line begins with `name`, in any case of letters.
    func has(_ name: String) -> Bool { parameters(of: name) != nil }

    /// What follows `name` on its line; empty when nothing does, nil when there is no such line.
    func parameters(of name: String) -> String? {
        let name = name.uppercased()
        for line in lines {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.first?.uppercased() == name { return parts.count > 1 ? String(parts[1]) : "" }
        }
        return nil
    }
}
