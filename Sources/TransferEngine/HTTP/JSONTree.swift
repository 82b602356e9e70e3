internal import FoundationEssentials
internal import TransferModel

/// A JSON text as a tree (RFC 8259).
indirect enum JSONTree: Hashable, Decodable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case array([JSONTree])
    case object([String: JSONTree])

    /// nil for what is no JSON.
    init?(_ bytes: [UInt8]) {
        guard let tree = try? JSONDecoder().decode(JSONTree.self, from: Data(bytes)) else { return nil }
        self = tree
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([JSONTree].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    /// The value at a JSON pointer's tokens (RFC 6901, section 4); nil when there is none.
    func value(at path: some Sequence<String>) -> JSONTree? {
        var tree = self
        for token in path {
            switch tree {
            case .object(let members):
                guard let member = members[token] else { return nil }
                tree = member
            case .array(let items):
                let isIndex =
                    token == "0"
                    || !token.hasPrefix("0") && !token.isEmpty
                        && token.utf8.allSatisfy { (0x30...0x39).contains($0) }
                guard isIndex, let index = Int(token), items.indices.contains(index) else { return nil }
                tree = items[index]
            case .null, .boolean, .integer, .number, .text: return nil
            }
        }
        return tree
    }
}

extension JSONCondition {
    func holds(for tree: JSONTree) -> Bool {
        let found = tree.value(at: path)
        let expected = JSONTree(Array(value.utf8)) ?? .text(value)
        return (found == expected) == isEqual
    }
}
