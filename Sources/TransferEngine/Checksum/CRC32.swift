/// The checksum of Ethernet and of ZIP, which FTP's XCRC means (ITU-T V.42, section 8.1.1.6.2).
struct CRC32: Sendable {
    private var register: UInt32 = 0xffff_ffff

    var value: UInt32 { ~register }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var register = register
        Self.table.withUnsafeBufferPointer { table in
            for byte in bytes {
                register = table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
            }
        }
        self.register = register
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1
        }
    }
}
