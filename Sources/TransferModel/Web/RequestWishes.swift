/// How a request is made to a web server and which answers are good: what a job, its route and its origin wish.
///
/// Every wish may be left out. The job's come first, then the route's, then the origin's, then the default.
public struct RequestWishes: Hashable, Codable, Sendable {
    /// Header fields of the request; those of job, route and origin add up, and the nearest of a name counts.
    public var headers: [HeaderField]?
    public var authentication: HTTPAuthentication?
    /// Whether the server is asked before a body is sent (RFC 9110, section 10.1.1).
    public var expectation: Switch?
    /// Whether cookies go back to the server that set them, within one attempt of a job.
    public var cookies: Switch?
    /// How long the answer may take when the whole body was handed over.
    public var answerTimeout: Duration?
    /// Answers that mean that the body has arrived.
    public var success: SuccessStatuses?
    /// What the body of such an answer has to match as well: an extended regular expression (POSIX).
    public var successPattern: String?
    /// What the body of such an answer has to say as well, in JSON.
    public var successCondition: JSONCondition?
    /// Where the whole answer goes.
    public var replyFile: NameTemplate?
    public var idempotencyHeader: IdempotencyHeader?
    /// What an outcome that nobody can know means.
    public var unknownOutcome: UnknownOutcome?

    public init() {}

    /// The time for an answer where nothing is said of it: whoever takes large files looks at them before answering.
    public static let standardAnswerTimeout: Duration = .seconds(300)

    /// These wishes, and `others` where these say nothing.
    public func or(_ others: RequestWishes?) -> RequestWishes {
        guard let others else { return self }
        var merged = self
        merged.headers = Self.joined(headers, others.headers)
        merged.authentication = authentication ?? others.authentication
        merged.expectation = expectation ?? others.expectation
        merged.cookies = cookies ?? others.cookies
        merged.answerTimeout = answerTimeout ?? others.answerTimeout
        merged.success = success ?? others.success
        merged.successPattern = successPattern ?? others.successPattern
        merged.successCondition = successCondition ?? others.successCondition
        merged.replyFile = replyFile ?? others.replyFile
        merged.idempotencyHeader = idempotencyHeader ?? others.idempotencyHeader
        merged.unknownOutcome = unknownOutcome ?? others.unknownOutcome
        return merged
    }

    private static func joined(_ near: [HeaderField]?, _ far: [HeaderField]?) -> [HeaderField]? {
        guard let near else { return far }
        let names = Set(near.map { $0.name.lowercased() })
        return near + (far ?? []).filter { !names.contains($0.name.lowercased()) }
    }

    /// The header field that carries the job's key; nil: none does.
    public var idempotencyName: String? {
        switch idempotencyHeader {
        case .named(let name): name
        case nil: IdempotencyHeader.standardName
        case .off: nil
        }
    }

    /// What an unknown outcome means: where a header was named that tells the server which requests are the same, it is
    /// sent again, since a server that looks at it keeps the first; else a person decides.
    public var unknownOutcomePolicy: UnknownOutcome {
        if let unknownOutcome { return unknownOutcome }
        switch idempotencyHeader {
        case .named: return .retry
        case .off, nil: return .hold
        }
    }
}

public enum Switch: String, CaseIterable, Codable, Sendable {
    case on, off
}

/// How a web server is told who we are; the secret stands in the credentials file.
public enum HTTPAuthentication: String, CaseIterable, Codable, Sendable {
    /// User and password (RFC 7617).
    case basic
    /// User and password, without the password on the wire (RFC 7616).
    case digest
    /// The password is a token (RFC 6750).
    case bearer
}
