internal import TransferModel

/// The tag that an element begins with.
struct XMLTag {
    let name: String
    var attributes: [(name: String, value: String)] = []
    /// Whether the element has nothing in it: `<a/>`.
    let isEmpty: Bool

    /// Takes the tag away from the beginning of `rest`, which is a `<`.
    init(_ rest: inout ArraySlice<UInt8>) throws(XMLReader.Mistake) {
        rest = rest.dropFirst()
        name = Self.name(&rest)
        guard !name.isEmpty else { throw XMLReader.Mistake("an element has no name") }
        while true {
            rest = rest.drop(while: XMLReader.isBlank)
            guard let first = rest.first else { throw XMLReader.Mistake("it is cut") }
            if first == UInt8(ascii: ">") || first == UInt8(ascii: "/") { break }
            attributes.append(try Self.attribute(&rest))
        }
        isEmpty = rest.first == UInt8(ascii: "/")
        if isEmpty { rest = rest.dropFirst() }
        guard rest.first == UInt8(ascii: ">") else { throw XMLReader.Mistake("a tag does not end") }
        rest = rest.dropFirst()
    }

    private static func name(_ rest: inout ArraySlice<UInt8>) -> String {
        let name = rest.prefix { byte in
            !XMLReader.isBlank(byte) && !"=/><\"'&".utf8.contains(byte)
        }
        rest = rest.dropFirst(name.count)
        return String(decoding: name, as: UTF8.self)
    }

    private static func attribute(
        _ rest: inout ArraySlice<UInt8>
    ) throws(XMLReader.Mistake) -> (name: String, value: String) {
        let name = name(&rest)
        rest = rest.drop(while: XMLReader.isBlank)
        guard !name.isEmpty, rest.first == UInt8(ascii: "=") else {
            throw XMLReader.Mistake("an attribute has no value")
        }
        rest = rest.dropFirst().drop(while: XMLReader.isBlank)
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw XMLReader.Mistake("the value of an attribute has no quotes")
        }
        rest = rest.dropFirst()
        guard let close = rest.firstIndex(of: quote) else { throw XMLReader.Mistake("it is cut") }
        let value = try XMLEntities.replace(rest[..<close])
        rest = rest[close...].dropFirst()
        return (name, String(decoding: value, as: UTF8.self))
    }
}

/// What stands for characters in texts of XML (XML 1.0, sections 4.1 and 4.6).
enum XMLEntities {
    private static let named: [String: UInt8] = [
        "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "amp": UInt8(ascii: "&"),
        "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"),
    ]

    static func replace(_ bytes: ArraySlice<UInt8>) throws(XMLReader.Mistake) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "&")) else { return Array(bytes) }
        var text: [UInt8] = []
        var rest = bytes
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += rest[..<ampersand]
            guard let end = rest[ampersand...].firstIndex(of: UInt8(ascii: ";")) else {
                throw XMLReader.Mistake("an entity does not end")
            }
            text += try character(String(decoding: rest[ampersand..<end].dropFirst(), as: UTF8.self))
            rest = rest[end...].dropFirst()
        }
        return text + rest
    }

    private static func character(_ name: String) throws(XMLReader.Mistake) -> [UInt8] {
        if let byte = named[name] { return [byte] }
        let isHexadecimal = name.hasPrefix("#x")
        guard name.hasPrefix("#"),
            let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10),
            number > 0, let scalar = Unicode.Scalar(number)
        else { throw XMLReader.Mistake("an entity is none of XML's own") }
        return Array(String(Character(scalar)).utf8)
    }
}

extension XMLEntities {
    /// The bytes as a text of XML may hold them.
    static func escaped(_ text: String) -> String {
        String(
            text.flatMap { character -> String in
                switch character {
                case "<": "&lt;"
                case ">": "&gt;"
                case "&": "&amp;"
                case _: String(character)
                }
            })
    }
}
