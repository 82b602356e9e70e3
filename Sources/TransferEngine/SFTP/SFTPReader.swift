/// Reads the fields of one packet; throws when it is shorter than it says.
struct SFTPReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() throws(SFTPFormatError) -> UInt32 {
        guard rest.count >= 4 else { throw SFTPFormatError() }
        let value = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        rest = rest.dropFirst(4)
        return value
    }

    mutating func longNumber() throws(SFTPFormatError) -> UInt64 {
        let high = try number()
        let low = try number()
        return UInt64(high) << 32 | UInt64(low)
    }

    mutating func string() throws(SFTPFormatError) -> ArraySlice<UInt8> {
        let count = Int(try number())
        guard rest.count >= count else { throw SFTPFormatError() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Extensions of attributes are read over.
    mutating func attributes() throws(SFTPFormatError) -> SFTPAttributes {
        var attributes = SFTPAttributes()
        let flags = try number()
        if flags & SFTPAttributes.sizeFlag != 0 { attributes.size = try longNumber() }
        if flags & SFTPAttributes.ownersFlag != 0 {
            attributes.owner = try number()
            attributes.group = try number()
        }
        if flags & SFTPAttributes.permissionsFlag != 0 { attributes.permissions = try number() }
        if flags & SFTPAttributes.timesFlag != 0 {
            _ = try number()
            attributes.modified = try number()
        }
        if flags & SFTPAttributes.extendedFlag != 0 {
            for _ in 0..<(try number()) {
                _ = try string()
                _ = try string()
            }
        }
        return attributes
    }
}

/// A packet that follows no known form.
struct SFTPFormatError: Error {}
