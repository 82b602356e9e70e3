/// How much a server takes in one packet. Source: OpenSSH's PROTOCOL, section 4.8.
struct SFTPLimits: Hashable, Sendable {
    /// Bytes of one read and of one write; what every server takes where it says nothing (draft, section 3).
    var read = 32_768
    var write = 32_768

    init() {}

    /// From the answer to `limits@openssh.com`; 0 there means that nothing is said.
    init(_ reader: inout SFTPReader) throws(SFTPFormatError) {
        _ = try reader.longNumber()
        read = Self.sensible(try reader.longNumber())
        write = Self.sensible(try reader.longNumber())
    }

    /// More than this gains nothing.
    private static let largest: UInt64 = 131_072

    private static func sensible(_ limit: UInt64) -> Int {
        limit == 0 ? 32_768 : Int(max(1_024, min(limit, largest)))
    }
}
