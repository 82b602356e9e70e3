internal import TransferModel

/// A name that a server chose, made into one that a file here may have.
enum HarmlessName {
    /// Its last part behind slashes and backslashes, without control bytes and what turns the direction of writing,
    /// without dots and blanks at its ends (so that it is never hidden), cut to 255 bytes before its extension.
    ///
    /// nil when nothing is left.
    static func of(_ told: [UInt8]) -> FileName? {
        let isSeparator: (UInt8) -> Bool = { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let last = told.split(omittingEmptySubsequences: false, whereSeparator: isSeparator).last ?? []
        var scalars = String.UnicodeScalarView()
        for scalar in String(decoding: last, as: UTF8.self).unicodeScalars where !isDangerous(scalar) {
            scalars.append(scalar == "\u{fffd}" ? "_" : scalar)
        }
        let isEdge: (UInt8) -> Bool = { $0 == 0x20 || $0 == UInt8(ascii: ".") }
        let bytes = Array(String(scalars).utf8).drop(while: isEdge)
        guard let end = bytes.lastIndex(where: { !isEdge($0) }) else { return nil }
        return FileName(bytes: fitted(unreserved(Array(bytes[...end]))))
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        case _: false
        }
    }

    /// Names that mean a device where such a directory is shared with Windows.
    private static func unreserved(_ name: [UInt8]) -> [UInt8] {
        let stem = String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self).uppercased()
        let isPort =
            (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && stem.utf8.count == 4
            && stem.last?.isNumber == true
        let isDevice = ["CON", "PRN", "AUX", "NUL"].contains(stem) || isPort
        return (isDevice ? [UInt8(ascii: "_")] : []) + name
    }

    private static func fitted(_ name: [UInt8]) -> [UInt8] {
        guard name.count > 255 else { return name }
        let ext = NameParts(name).ext
        let tail = ext.isEmpty || ext.count > 32 ? [] : [UInt8(ascii: ".")] + ext
        return TemplateValues.cut(name, to: 255 - tail.count) + tail
    }
}
