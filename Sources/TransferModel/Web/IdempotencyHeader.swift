/// The header field that carries a job's key, the same in every attempt, so that a server can tell a repetition.
public enum IdempotencyHeader: Hashable, Sendable, CustomStringConvertible {
    case named(String)
    case off

    /// The name that is used where none is configured (draft-ietf-httpapi-idempotency-key-header).
    public static let standardName = "Idempotency-Key"

    /// `off`, or the name of a field that transferd does not set itself; nil for anything else.
    public init?(_ text: String) {
        if text == "off" {
            self = .off
        } else if let field = HeaderField("\(text): key"), field.name == text {
            self = .named(text)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .named(let name): name
        case .off: "off"
        }
    }
}

extension IdempotencyHeader: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let header = IdempotencyHeader(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no name of a header field")
        }
        self = header
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
