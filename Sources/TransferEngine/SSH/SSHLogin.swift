internal import CSSH
internal import TransferModel

/// What a login at one origin has to show for itself. Each kind is tried once, the strongest first.
struct SSHLogin {
    let origin: Origin
    let user: String
    let password: String?
    let identity: FilePath?
    let usesAgent: Bool

    /// Throws when there is nothing to log in with: before anything is connected.
    init(_ assignment: Assignment) throws(Failure) {
        origin = assignment.job.origin
        identity = assignment.origin.trust.identity
        usesAgent = assignment.origin.trust.usesAgent
        switch assignment.login {
        case .credentials(let credentials): (user, password) = (credentials.user, credentials.password)
        case .missing(let name): (user, password) = (name, nil)
        case .anonymous:
            throw Failure(
                .permanent, scope: .login,
                text:
                    "\(origin) has no user: write sftp://USER@\(origin.host)/…, or add 'machine \(origin.host) "
                    + "login USER password …' to the credentials file")
        }
        guard password != nil || identity != nil || usesAgent else {
            throw Failure(
                .permanent, scope: .login,
                text:
                    "there is nothing to log in to \(origin) with: set 'identity = FILE' or 'agent = yes' for the "
                    + "origin, or add 'machine \(origin.host) login \(user) password …' to the credentials file"
            )
        }
    }

    /// What the server said to one kind of proof.
    private enum Verdict {
        case accepted
        /// Good, but not enough.
        case more
        case refused
    }

    /// Something that was shown to the server, in words, and whether it was content.
    private typealias Proof = (shown: String, isEnough: Bool)

    /// Logs in; with what the server was content. Throws ``SSHError`` when the connection is lost.
    func run(on session: SSHSession) throws -> String {
        var tried: [String] = []
        var password = password
        if let identity {
            let key = try SSHKey(identity, passphrase: password)
            // A passphrase is no server's business.
            if key.wasEncrypted { password = nil }
            let code = ssh_userauth_publickey(session.session, nil, key.key)
            if try verdict(code, session) == .accepted { return "the key '\(identity)'" }
            tried.append("the key '\(identity)'")
        }
        if usesAgent {
            let code = ssh_userauth_agent(session.session, nil)
            if try verdict(code, session) == .accepted { return "a key of the agent" }
            tried.append("what keys the agent has")
        }
        if let password {
            let proof = try show(password, session)
            if proof.isEnough { return proof.shown }
            tried.append(proof.shown)
        }
        if try takesNothing(session) { return "nothing, which it should not take" }
        throw refusal(tried, session)
    }

    /// Asks a server that has not said yet which ways it takes: an agent without a key, or none at all, asks it nothing.
    private func takesNothing(_ session: SSHSession) throws -> Bool {
        guard ssh_userauth_list(session.session, nil) == 0 else { return false }
        return try verdict(ssh_userauth_none(session.session, nil), session) == .accepted
    }

    private func show(_ password: String, _ session: SSHSession) throws -> Proof {
        if try takesNothing(session) { return ("nothing, which it should not take", true) }
        let methods = UInt32(bitPattern: ssh_userauth_list(session.session, nil))
        if methods & SSH_AUTH_METHOD_PASSWORD != 0 {
            let code = ssh_userauth_password(session.session, nil, password)
            return ("the password", try verdict(code, session) == .accepted)
        }
        guard methods & SSH_AUTH_METHOD_INTERACTIVE != 0 else {
            return ("no password, which it does not take", false)
        }
        return ("the password as an answer", try answer(with: password, session) == .accepted)
    }

    /// Answers the one question that is not echoed (RFC 4256); a server that asks for more is not content.
    private func answer(with password: String, _ session: SSHSession) throws -> Verdict {
        var password: String? = password
        for _ in 0..<8 {
            let code = ssh_userauth_kbdint(session.session, nil, nil)
            guard code == SSH_AUTH_INFO.rawValue else { return try verdict(code, session) }
            let count = ssh_userauth_kbdint_getnprompts(session.session)
            for index in 0..<max(0, count) {
                let index = UInt32(index)
                var echoes: CChar = 1
                _ = ssh_userauth_kbdint_getprompt(session.session, index, &echoes)
                guard echoes == 0, let answer = password else { return .refused }
                ssh_userauth_kbdint_setanswer(session.session, index, answer)
                password = nil
            }
        }
        return .refused
    }

    private func verdict(_ code: Int32, _ session: SSHSession) throws(SSHError) -> Verdict {
        switch code {
        case SSH_AUTH_SUCCESS.rawValue: return .accepted
        case SSH_AUTH_PARTIAL.rawValue: return .more
        case SSH_AUTH_DENIED.rawValue: return .refused
        default: throw SSHError(session: session.session)
        }
    }

    private func refusal(_ tried: [String], _ session: SSHSession) -> Failure {
        let methods = UInt32(bitPattern: ssh_userauth_list(session.session, nil))
        let names = [
            (SSH_AUTH_METHOD_PUBLICKEY, "publickey"), (SSH_AUTH_METHOD_PASSWORD, "password"),
            (SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive"), (SSH_AUTH_METHOD_HOSTBASED, "hostbased"),
            (SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic"),
        ].filter { methods & $0.0 != 0 }.map(\.1)
        return Failure(
            .permanent, scope: .login,
            text: "logging in to \(origin) as \(user): permission denied; the server takes "
                + "\(names.joined(separator: ", ")) and was shown \(tried.joined(separator: ", "))")
    }
}
