import TransferModel

/// The names that a file may get in a directory where its own is taken: NAME, NAME.2, NAME.3 …
///
/// A name that would be longer than 255 bytes with what is added loses its end, never half of a UTF-8 character.
struct FreeNames {
    let name: FileName

    /// The `number`th choice, from 1 on, with room for `room` more bytes where a number was added.
    func choice(_ number: Int, room: Int = 0) -> FileName {
        guard number > 1 else { return name }
        return Self.extend(name, by: Array(".\(number)".utf8), room: room)
    }

    /// The name of the file that says why `kept` lies in `failed`.
    static func reason(for kept: FileName) -> FileName { extend(kept, by: reasonSuffix, room: 0) }

    static let reasonSuffix = Array(".reason".utf8)

    private static func extend(_ name: FileName, by suffix: [UInt8], room: Int) -> FileName {
        let kept = cut(name.bytes, to: 255 - suffix.count - room)
        return FileName(bytes: kept + suffix) ?? name
    }

    private static func cut(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        guard bytes.count > count else { return bytes }
        var end = count
        while end > count - 4, end > 1, bytes[end] & 0xc0 == 0x80 { end -= 1 }
        // Four continuation bytes in a row are no UTF-8: cut where it fits.
        return Array(bytes[..<(bytes[end] & 0xc0 == 0x80 ? count : end)])
    }
}
