/// A value of JSON (RFC 8259) whose members keep their order.
enum JSONValue: Hashable {
    struct Member: Hashable {
        let name: String
        let value: JSONValue
    }

    case null
    case number(Int64)
    case boolean(Bool)
    case text(String)
    case array([JSONValue])
    case object([Member])

    /// An object of `members` in their order.
    init(_ members: KeyValuePairs<String, JSONValue>) {
        self = .object(members.map { Member(name: $0.key, value: $0.value) })
    }

    /// null for nil.
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ number: Int?) { self = number.map { .number(Int64($0)) } ?? .null }

    /// On one line. Control characters are escaped, those from 0x7f to 0x9f too.
    var text: String {
        var result = ""
        write(to: &result)
        return result
    }

    private func write(to result: inout String) {
        switch self {
        case .null: result += "null"
        case .number(let number): result += String(number)
        case .boolean(let value): result += value ? "true" : "false"
        case .text(let text): JSONValue.quote(text, to: &result)
        case .array(let values):
            result += "["
            for (index, value) in values.enumerated() {
                if index > 0 { result += "," }
                value.write(to: &result)
            }
            result += "]"
        case .object(let members):
            result += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { result += "," }
                JSONValue.quote(member.name, to: &result)
                result += ":"
                member.value.write(to: &result)
            }
            result += "}"
        }
    }

    private static func quote(_ text: String, to result: inout String) {
        result += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        result += "\""
    }
}
