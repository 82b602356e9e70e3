/// A line as sha256sum(1) writes and checks it.
enum ChecksumLine {
    /// A backslash in the name, and a mark for it at the beginning, as the coreutils have it.
    static func bytes(_ checksum: String, name: [UInt8]) -> [UInt8] {
        let backslash = UInt8(ascii: "\\")
        let isEscaped = name.contains(backslash)
        let shown = name.flatMap { $0 == backslash ? [backslash, backslash] : [$0] }
        return (isEscaped ? [backslash] : []) + Array("\(checksum)  ".utf8) + shown + [0x0a]
    }
}
