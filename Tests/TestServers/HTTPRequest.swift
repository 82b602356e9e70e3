/// One request as a scripted web server saw it.
public struct HTTPRequest: Sendable {
    public let method: String
    /// The target as it stood in the request line.
    public let target: String
    public let headers: [HTTPHeader]
    /// The number of the request over all connections, from 0.
    public let index: Int
    /// The number of its connection, from 0.
    public let connection: Int
    /// The bytes of the body that were read; 0 when the server is asked for its answer.
    public internal(set) var bodyLength = 0
    /// The first mebibyte of the body.
    public internal(set) var body: [UInt8] = []
    /// The SHA-256 of what was read of the body, in lower case hexadecimal.
    public internal(set) var bodySHA256 = ""
    /// Whether the body came to its announced end.
    public internal(set) var isWhole = false

    /// The value of the first header of this name, whatever its case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The range asked for in an object of `length` bytes: nil without a Range header, empty when unsatisfiable.
    public func range(of length: Int) -> Range<Int>? {
        guard let text = header("Range"), text.hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            return Int(ends[1]).map { max(0, length - $0)..<length }
        }
        guard let first = Int(ends[0]) else { return nil }
        let last = min(Int(ends[1]) ?? length - 1, length - 1)
        return first < length && first <= last ? first..<last + 1 : 0..<0
    }
}

/// One header line.
public struct HTTPHeader: Sendable, Equatable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
