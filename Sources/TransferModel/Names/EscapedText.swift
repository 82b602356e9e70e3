/// Bytes as text that is safe on a terminal, in a log line and in JSON, and that can be turned back.
///
/// Valid UTF-8 stays as it is, except that a backslash becomes `\\` and control bytes (below 0x20, 0x7f) and bytes
/// that are no UTF-8 become `\xNN`. Used for names and for every text that came from outside.
public enum EscapedText {
    public static func escape(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        guard !bytes.allSatisfy(isPlain) else { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        var index = 0
        while index < bytes.count {
            let length = scalarLength(bytes, at: index)
            if length == 0 || isControl(bytes[index]) {
                text += "\\x" + hexadecimal(bytes[index])
                index += 1
            } else if bytes[index] == UInt8(ascii: "\\") {
                text += "\\\\"
                index += 1
            } else {
                text += String(decoding: bytes[index..<index + length], as: UTF8.self)
                index += length
            }
        }
        return text
    }

    /// The bytes that ``escape(_:)`` made `text` from; nil when `text` holds a broken escape.
    public static func unescape(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\\"): bytes.append(byte)
            case UInt8(ascii: "x"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
                else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case .some, nil: return nil
            }
        }
        return bytes
    }

    /// A control byte: refused wherever it could reach a command, a header or a log.
    public static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }

    /// ASCII that stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7e).contains(byte) && byte != UInt8(ascii: "\\")
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = Array("0123456789abcdef")
        return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The length in bytes of the well-formed UTF-8 scalar that starts at `index`; 0 when there is none.
    private static func scalarLength(_ bytes: [UInt8], at index: Int) -> Int {
        let length =
            switch bytes[index] {
            case 0x00...0x7f: 1
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 0
            }
        guard length > 0, index + length <= bytes.count else { return 0 }
        let scalar = bytes[index..<index + length]
        return String(validating: scalar, as: UTF8.self) == nil ? 0 : length
    }
}
