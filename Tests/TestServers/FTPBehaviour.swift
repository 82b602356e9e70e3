/// One command as a scripted FTP server got it.
public struct FTPCommand: Sendable {
    /// In capitals; `CONNECT` stands for a new connection, whose reply is the greeting.
    public let verb: String
    /// What stands after the verb and one blank, byte for byte.
    public let argument: [UInt8]
    /// How many commands of this verb came before, over all connections.
    public let occurrence: Int
    /// The number of the control connection, from 0.
    public let connection: Int

    /// The argument as text.
    public var text: String { String(decoding: argument, as: UTF8.self) }
    /// The whole line as text.
    public var line: String { argument.isEmpty ? verb : "\(verb) \(text)" }
}

/// What a scripted FTP server does with one command: right by default, each wrongness one value.
public struct FTPBehaviour: Sendable {
    /// Replies so instead of doing anything; several lines are separated by CR LF.
    public var reply: String?
    /// Does it, but says so as its last reply.
    public var finalReply: String?
    /// Passes before anything is done.
    public var delay = Duration.zero
    /// Passes before the last reply.
    public var finalDelay = Duration.zero
    /// The last reply is never sent; the connection goes on.
    public var isSilent = false
    /// The control connection ends instead of the last reply.
    public var closes = false
    /// Of the bytes that come, only so many are stored; the reply says all is well.
    public var storesAtMost: Int?
    /// The data connection is cut after so many bytes, and the reply is 426.
    public var cutsDataAfter: Int?
    /// The data connection carries at most so many bytes a second.
    public var bytesPerSecond: Int?
    /// REST is accepted and then ignored by this RETR or STOR.
    public var ignoresRestart = false
    /// What this transfer's TLS session has to be, and the reply when it is not.
    public var sessionRule: SessionRule?
    /// Over TLS the data connection ends without a word (no close_notify).
    public var omitsEnd = false
    /// Said a while after the last reply, when nothing is asked; then noted as the command `ADDED`.
    public var addition: String?
    /// The address that a PASV reply names.
    public var passiveAddress = "127,0,0,1"

    public enum SessionRule: Sendable {
        case resumed(elseReplies: String)
        case new(elseReplies: String)
        case never(elseReplies: String)
    }

    public init() {}

    /// Everything as it should be.
    public static var right: FTPBehaviour { FTPBehaviour() }

    /// Replies `text` and does nothing.
    public static func replies(_ text: String) -> FTPBehaviour {
        var behaviour = FTPBehaviour()
        behaviour.reply = text
        return behaviour
    }

    /// Does the command and says `text` as its last reply.
    public static func endsWith(_ text: String) -> FTPBehaviour {
        var behaviour = FTPBehaviour()
        behaviour.finalReply = text
        return behaviour
    }

    /// Does the command, and says `text` when nothing is asked any more.
    public static func adds(_ text: String) -> FTPBehaviour {
        var behaviour = FTPBehaviour()
        behaviour.addition = text
        return behaviour
    }

    /// Does the command and never says so.
    public static var silent: FTPBehaviour {
        var behaviour = FTPBehaviour()
        behaviour.isSilent = true
        return behaviour
    }

    /// Does the command and ends the control connection instead of a reply.
    public static var closesConnection: FTPBehaviour {
        var behaviour = FTPBehaviour()
        behaviour.closes = true
        return behaviour
    }

    /// Stores at most `count` bytes of an upload and says that all is well.
    public static func stores(atMost count: Int) -> FTPBehaviour {
        var behaviour = FTPBehaviour()
        behaviour.storesAtMost = count
        return behaviour
    }

    /// Cuts the data connection after `count` bytes and replies 426.
    public static func cutsData(after count: Int) -> FTPBehaviour {
        var behaviour = FTPBehaviour()
        behaviour.cutsDataAfter = count
        return behaviour
    }

    /// Does the command `delay` late.
    public static func late(by delay: Duration) -> FTPBehaviour {
        var behaviour = FTPBehaviour()
        behaviour.finalDelay = delay
        return behaviour
    }
}
