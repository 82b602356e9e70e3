/// A digest that a file must have: `sha256:HEX`.
public struct Checksum: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The strongest first.
    public enum Algorithm: String, CaseIterable, Codable, Sendable {
        case sha512, sha256, sha1, md5

        /// Digits of the checksum in hexadecimal.
        public var digits: Int {
            switch self {
            case .sha512: 128
            case .sha256: 64
            case .sha1: 40
            case .md5: 32
            }
        }

        /// Takes `SHA-256` and `sha256` for the same.
        public init?(name: some StringProtocol) {
            self.init(rawValue: name.lowercased().filter { $0 != "-" })
        }
    }

    public let algorithm: Algorithm
    /// Lower case hexadecimal.
    public let hexadecimal: String

    public init(algorithm: Algorithm, hexadecimal: String) {
        self.algorithm = algorithm
        self.hexadecimal = hexadecimal.lowercased()
    }

    /// nil for anything but the digits of a checksum of that kind.
    public init?(_ algorithm: Algorithm, digits: some StringProtocol) {
        guard digits.utf8.count == algorithm.digits, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            return nil
        }
        self.init(algorithm: algorithm, hexadecimal: String(digits))
    }

    /// Of the kind that has so many digits; nil where none has.
    public init?(digits: some StringProtocol) {
        guard let algorithm = Algorithm.allCases.first(where: { $0.digits == digits.utf8.count }) else {
            return nil
        }
        self.init(algorithm, digits: digits)
    }

    /// Reads `ALGORITHM:HEX`, or the digits alone, whose number says of which kind they are; nil for anything else.
    public init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else {
            self.init(digits: text)
            return
        }
        guard let algorithm = Algorithm(name: text[..<colon]) else { return nil }
        self.init(algorithm, digits: text[text.index(after: colon)...])
    }

    public var description: String { "\(algorithm.rawValue):\(hexadecimal)" }

    /// What ``init(_:)`` takes, for a sentence.
    public static let forms = "sha256:, sha512:, sha1: or md5: and as many hexadecimal digits as it has"
}
