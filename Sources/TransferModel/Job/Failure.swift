/// Why an attempt did not succeed, and what that means: what the library or the server said, and a class.
public struct Failure: Error, Hashable, Codable, Sendable {
    /// What the failure means to the job. One place decides it, where the library's code is known.
    public enum Class: String, CaseIterable, Codable, Sendable {
        /// May go away by itself: retried with back-off.
        case temporary
        /// Trying again would end the same way.
        case permanent
        /// Something on this machine (disk full, unreadable source): retried, in words an operator can act on.
        case local
        /// The server may or may not have had all of it.
        case unknownOutcome = "unknown"
    }

    /// Whom the failure concerns.
    public enum Scope: String, Codable, Sendable {
        /// This job alone; an attempt is counted.
        case job
        /// Everybody at this origin (no address, no connection, no greeting, "too many users"): the origin is backed
        /// off and its jobs lose no attempt.
        case origin
        /// This login: a refused password stops it for all its jobs until a person acts.
        case login
    }

    public var `class`: Class
    public var scope: Scope
    /// libcurl's result code; nil when libcurl said nothing.
    public var curl: Int?
    /// The protocol's reply code (FTP, HTTP), or errno for a local failure.
    public var code: Int?
    /// One sentence, in the server's words where it said something; escaped and cut by who made it.
    public var text: String
    /// What the server asked for, clamped by ``RetryPolicy``.
    public var retryAfter: Duration?
    /// The server lets no more of us in for now ("too many connections"): with fewer lanes the origin can be used. Not
    /// recorded.
    public var isCrowded = false
    /// The whole answer of the server where it is worth keeping; recorded with the job, not with the failure.
    public var reply: Reply?

    private enum CodingKeys: String, CodingKey {
        case `class`, scope, curl, code, text, retryAfter
    }

    public init(
        _ class: Class, scope: Scope = .job, curl: Int? = nil, code: Int? = nil, text: String,
        retryAfter: Duration? = nil, reply: Reply? = nil
    ) {
        self.class = `class`
        self.scope = scope
        self.curl = curl
        self.code = code
        self.text = text
        self.retryAfter = retryAfter
        self.reply = reply
    }
}

/// What the server answered to a form, kept with the job.
public struct Reply: Hashable, Codable, Sendable {
    /// The protocol's reply code.
    public let status: Int
    /// The status line and the header fields, as they came but for a password; nil where nobody kept them.
    public let head: [UInt8]?
    /// The first 64 KiB of the body, as they came but for a password.
    public let body: [UInt8]

    public init(status: Int, head: [UInt8]? = nil, body: [UInt8]) {
        self.status = status
        self.head = head
        self.body = body
    }

    /// The most that is kept of a body, in bytes.
    public static let longestBody = 65_536
}
