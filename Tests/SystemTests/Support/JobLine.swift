import FoundationEssentials

/// A line of `transferctl status --json` or `show --json`.
struct JobLine: Decodable, Sendable {
    struct Failure: Decodable, Sendable {
        let `class`: String
        let curl: Int?
        let code: Int?
        let text: String
    }

    struct Reply: Decodable, Sendable {
        let status: Int
        let body: String
    }

    /// One try.
    struct Attempt: Decodable, Sendable {
        let number: Int
        let start: Int
        let end: Int
        let error: Failure?

        enum CodingKeys: String, CodingKey {
            case number
            case start = "start_offset"
            case end = "end_offset"
            case error
        }
    }

    let id: Int
    let kind: String
    let state: String
    let request: String?
    let route: String?
    let url: String
    let source: String?
    let destination: String?
    let offset: Int?
    let limit: Int?
    let attempts: Int
    /// In UTC, so that texts order as times do.
    let startedAt: String?
    let finishedAt: String?
    let label: String?
    let error: Failure?
    let reply: Reply?
    let digest: String?
    let attemptsLog: [Attempt]?

    enum CodingKeys: String, CodingKey {
        case id, kind, state, request, route, url, source, destination, offset, limit, attempts, label, error,
            reply
        case digest
        case startedAt = "started_at"
        case finishedAt = "finished_at"
        case attemptsLog = "attempts_log"
    }

    /// Reads JSON Lines.
    static func lines(_ text: [UInt8]) throws -> [JobLine] {
        try text.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(JobLine.self, from: Data($0))
        }
    }
}

extension [JobLine.Attempt] {
    /// The bytes that a try moved although an earlier one had recorded them.
    var repeated: Int { zip(self, dropFirst()).reduce(0) { $0 + Swift.max(0, $1.0.end - $1.1.start) } }
}
