/// A path as the kernel takes it: bytes without NUL, absolute or relative.
public struct FilePath: Hashable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]

    /// nil when `bytes` is empty or holds a NUL.
    public init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    public init?(_ text: String) { self.init(bytes: Array(text.utf8)) }

    public init(_ name: FileName) { bytes = name.bytes }

    private init(checked bytes: [UInt8]) { self.bytes = bytes }

    public static let root = FilePath(checked: [UInt8(ascii: "/")])

    public var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

    /// This directory's entry `name`.
    public func appending(_ name: FileName) -> FilePath { appending(FilePath(name)) }

    /// `relative` below this directory; no `.` or `..` is resolved.
    public func appending(_ relative: FilePath) -> FilePath {
        let slash = bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        return FilePath(bytes: bytes + slash + relative.bytes) ?? self
    }

    /// `text` below this directory; for names that the program itself chose.
    public func appending(_ text: StaticString) -> FilePath {
        appending(FilePath(bytes: text.withUTF8Buffer(Array.init)) ?? self)
    }

    /// The last component; nil for `/` and for a path that ends in `.` or `..`.
    public var lastComponent: FileName? { components.last.flatMap { FileName(bytes: $0) } }

    /// The path without its last component; nil when nothing would be left.
    public var directory: FilePath? {
        let kept = components.dropLast()
        guard !kept.isEmpty else { return isAbsolute && !components.isEmpty ? FilePath("/") : nil }
        let joined = Array(kept.joined(separator: [UInt8(ascii: "/")]))
        return FilePath(bytes: isAbsolute ? [UInt8(ascii: "/")] + joined : joined)
    }

    /// The components between slashes, empty ones left out.
    public var components: [[UInt8]] { bytes.split(separator: UInt8(ascii: "/")).map(Array.init) }

    /// The path with empty, `.` and `..` components resolved by their text; symbolic links are not looked at.
    public var normalized: FilePath {
        var kept: [[UInt8]] = []
        for component in components where component != [0x2e] {
            if component == [0x2e, 0x2e] { _ = kept.popLast() } else { kept.append(component) }
        }
        let joined = Array(kept.joined(separator: [UInt8(ascii: "/")]))
        return FilePath(bytes: isAbsolute ? [UInt8(ascii: "/")] + joined : joined) ?? self
    }

    /// The path below `directory`, by text; nil when it is not below it. Both should be normalized.
    public func relative(to directory: FilePath) -> FilePath? {
        let mine = components
        let theirs = directory.components
        guard isAbsolute == directory.isAbsolute, mine.count > theirs.count else { return nil }
        guard mine.starts(with: theirs) else { return nil }
        return FilePath(bytes: Array(mine.dropFirst(theirs.count).joined(separator: [UInt8(ascii: "/")])))
    }

    public var description: String { EscapedText.escape(bytes) }

    /// Calls `body` with the path as a C string.
    public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        try withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
            for (index, byte) in bytes.enumerated() {
                buffer.initializeElement(at: index, to: CChar(bitPattern: byte))
            }
            buffer.initializeElement(at: bytes.count, to: 0)
            // A buffer that is not empty has a base address.
            guard let base = buffer.baseAddress else {
                preconditionFailure("an array of bytes has an address")
            }
            return try body(base)
        }
    }
}

extension FilePath: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = EscapedText.unescape(text), let path = FilePath(bytes: bytes) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a path: \(text)"))
        }
        self = path
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
