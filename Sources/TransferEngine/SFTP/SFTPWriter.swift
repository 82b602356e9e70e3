/// Packets in the making, one after the other: lengths are put in when a packet ends.
struct SFTPWriter {
    private(set) var bytes: [UInt8] = []
    private var start = 0

    mutating func begin(_ message: SFTPMessage) {
        start = bytes.count
        put(UInt32(0))
        bytes.append(message.rawValue)
    }

    mutating func put(_ value: UInt32) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func put(_ value: UInt64) {
        put(UInt32(truncatingIfNeeded: value >> 32))
        put(UInt32(truncatingIfNeeded: value))
    }

    /// A string with its length.
    mutating func put(_ string: some Collection<UInt8>) {
        put(UInt32(string.count))
        bytes.append(contentsOf: string)
    }

    mutating func put(_ attributes: SFTPAttributes) {
        var flags: UInt32 = 0
        if attributes.size != nil { flags |= SFTPAttributes.sizeFlag }
        if attributes.owner != nil { flags |= SFTPAttributes.ownersFlag }
        if attributes.permissions != nil { flags |= SFTPAttributes.permissionsFlag }
        if attributes.modified != nil { flags |= SFTPAttributes.timesFlag }
        put(flags)
        if let size = attributes.size { put(size) }
        if let owner = attributes.owner {
            put(owner)
            put(attributes.group ?? owner)
        }
        if let permissions = attributes.permissions { put(permissions) }
        if let modified = attributes.modified {
            put(modified)
            put(modified)
        }
    }

    mutating func end() {
        let length = UInt32(bytes.count - start - 4)
        for (index, shift) in [24, 16, 8, 0].enumerated() {
            bytes[start + index] = UInt8(truncatingIfNeeded: length >> UInt32(shift))
        }
    }

    /// Forgets the first bytes, which have gone out.
    mutating func drop(_ count: Int) {
        if count == bytes.count {
            bytes.removeAll(keepingCapacity: true)
        } else {
            bytes.removeFirst(count)
        }
    }
}
