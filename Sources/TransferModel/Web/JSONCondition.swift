/// What a JSON text has to say at one place: `/status == "ok"`, `/items/0/error != null`.
///
/// The place is a JSON pointer (RFC 6901). The value is JSON; what is none is taken as a text, so that the quotes may be
/// left out. A place that is not there differs from every value.
public struct JSONCondition: Hashable, Sendable, CustomStringConvertible {
    /// The tokens of the pointer, unescaped; empty: the whole text.
    public let path: [String]
    public let isEqual: Bool
    /// As it was written.
    public let value: String
    public let description: String

    /// Throws a sentence's end for anything but `POINTER == VALUE` and `POINTER != VALUE`.
    public init(_ text: String) throws(InvalidCondition) {
        guard let operation = text.firstIndex(where: { $0 == "=" || $0 == "!" }) else {
            throw InvalidCondition("'==' or '!=' is missing")
        }
        let symbol = text[operation...].prefix(2)
        guard symbol == "==" || symbol == "!=" else {
            throw InvalidCondition("'==' or '!=' is expected, not '\(symbol)'")
        }
        isEqual = symbol == "=="
        value = String(text[operation...].dropFirst(2)).trimmingBlanks()
        guard !value.isEmpty else { throw InvalidCondition("there is no value behind '\(symbol)'") }
        path = try Self.path(String(text[..<operation]).trimmingBlanks())
        description = text
    }

    private static func path(_ pointer: String) throws(InvalidCondition) -> [String] {
        guard !pointer.isEmpty else { return [] }
        guard pointer.hasPrefix("/") else {
            throw InvalidCondition("the pointer before it begins with '/', as in /status")
        }
        var path: [String] = []
        for token in pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            path.append(try unescaped(token))
        }
        return path
    }

    /// `~1` is a slash and `~0` a tilde (RFC 6901, section 4).
    private static func unescaped(_ token: Substring) throws(InvalidCondition) -> String {
        var text = ""
        var rest = token.unicodeScalars
        while let scalar = rest.popFirst() {
            guard scalar == "~" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "0": text.append("~")
            case "1": text.append("/")
            case _: throw InvalidCondition("'~' stands alone in the pointer; write '~0' for it")
            }
        }
        return text
    }
}

/// Why a text is no condition, as the end of a sentence.
public struct InvalidCondition: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

extension JSONCondition: Codable {
    public init(from decoder: any Decoder) throws {
        self = try JSONCondition(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
