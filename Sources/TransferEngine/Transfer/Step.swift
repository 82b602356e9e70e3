/// How far a request came; its text is to stand behind "while".
enum Step: String, Sendable {
    case lookingUp = "looking up the address"
    case connecting
    case securing = "setting up TLS"
    case greeting = "waiting for the greeting"
    case loggingIn = "logging in"
    /// FTP: a command was sent.
    case asking = "waiting for the reply to a command"
    /// FTP: the server said where, or was told.
    case openingData = "opening the data connection"
    case sending
    /// All was handed over.
    case confirming = "waiting for the server's word that all is there"
    case receiving
}

extension Step {
    /// What libcurl has measured of a transfer's beginning: whether each was through.
    struct Milestones: Sendable {
        var hasAddress = true
        var isConnected = true
        var isSecured = true
    }

    /// The step that an FTP transfer was in, by what the server has said so far.
    init(ftp answer: Answer, _ milestones: Milestones, isImplicitTLS: Bool, sends: Bool) {
        let code = answer.replies.code
        if let early = Step(milestones, isTLS: isImplicitTLS) {
            self = early
        } else if !answer.isLoggedIn {
            self = code == 0 ? .greeting : code == 234 || code == 334 ? .securing : .loggingIn
        } else if (100...199).contains(code) {
            self = !sends ? .receiving : answer.uploaded >= answer.sent ? .confirming : .sending
        } else {
            self = [227, 229].contains(code) ? .openingData : .asking
        }
    }

    /// The same for HTTP.
    init(http answer: Answer, _ milestones: Milestones, isTLS: Bool, sends: Bool) {
        if let early = Step(milestones, isTLS: isTLS) {
            self = early
        } else {
            let isSending = answer.uploaded < answer.sent
            self = answer.status != 0 ? .receiving : !sends ? .asking : isSending ? .sending : .confirming
        }
    }

    private init?(_ milestones: Milestones, isTLS: Bool) {
        if !milestones.hasAddress {
            self = .lookingUp
        } else if !milestones.isConnected {
            self = .connecting
        } else if isTLS, !milestones.isSecured {
            self = .securing
        } else {
            return nil
        }
    }
}
