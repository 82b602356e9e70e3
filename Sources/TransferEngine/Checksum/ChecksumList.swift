internal import TransferModel

/// A list of files' checksums, as `sha256sum`, `md5sum --tag`, `openssl dgst` and the like write it, or one checksum alone.
///
/// What is no such line is passed over: such lists have comments and signatures around them.
struct ChecksumList: Hashable {
    struct Entry: Hashable {
        let checksum: Checksum
        /// nil for a checksum that stands alone.
        let path: [UInt8]?
    }

    let entries: [Entry]

    init(_ bytes: [UInt8]) {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let text = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
        entries = text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).compactMap(Self.entry)
    }

    /// The strongest checksum of `file`; nil where the list has none, or two that contradict each other.
    ///
    /// - Parameters:
    ///   - file: the file's path at its server: of entries with its name those count whose path fits best.
    ///   - list: the list's own name: `x.iso.sha256` with one entry is about `x.iso`, whatever name that has in it.
    func checksum(of file: [[UInt8]], list: [UInt8]) -> Checksum? {
        guard let name = file.last else { return nil }
        let named = entries.filter { Self.components($0.path).last == name }
        if !named.isEmpty {
            let best = named.map { Self.likeness(Self.components($0.path), file) }.max()
            return Self.strongest(named.filter { Self.likeness(Self.components($0.path), file) == best })
        }
        let alone = entries.filter { $0.path == nil }
        if !alone.isEmpty { return Self.strongest(alone) }
        return entries.count == 1 && list.starts(with: name) ? entries[0].checksum : nil
    }

    /// How many names at the ends of two paths are the same.
    private static func likeness(_ path: [[UInt8]], _ file: [[UInt8]]) -> Int {
        zip(path.reversed(), file.reversed()).prefix { $0 == $1 }.count
    }

    private static func strongest(_ entries: [Entry]) -> Checksum? {
        for algorithm in Checksum.Algorithm.allCases {
            let found = Set(entries.map(\.checksum).filter { $0.algorithm == algorithm })
            if let first = found.first { return found.count == 1 ? first : nil }
        }
        return nil
    }

    private static func components(_ path: [UInt8]?) -> [[UInt8]] {
        (path ?? []).split(separator: UInt8(ascii: "/")).map(Array.init).filter { $0 != [0x2e] }
    }
}

// MARK: - Lines

extension ChecksumList {
    private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let start = line.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return nil }
        return tagged(start[...last]) ?? plain(start)
    }

    /// `HEX`, a blank, a blank or the `*` of a binary file, and the name; a backslash before it says that those in the
    /// name are escapes.
    private static func plain(_ line: ArraySlice<UInt8>) -> Entry? {
        let isEscaped = line.first == UInt8(ascii: "\\")
        let rest = isEscaped ? line.dropFirst() : line
        let digits = rest.prefix { $0 != 0x20 && $0 != 0x09 }
        guard let checksum = Checksum(digits: String(decoding: digits, as: UTF8.self)) else { return nil }
        var name = rest[digits.endIndex...].dropFirst()
        if name.first == 0x20 || name.first == UInt8(ascii: "*") { name = name.dropFirst() }
        guard name.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
            return Entry(checksum: checksum, path: nil)
        }
        return Entry(checksum: checksum, path: isEscaped ? unescaped(name) : Array(name))
    }

    /// `SHA256 (NAME) = HEX`, as BSD and `--tag` write it; OpenSSL leaves blanks out and says SHA2-256.
    private static func tagged(_ line: ArraySlice<UInt8>) -> Entry? {
        guard let open = line.firstIndex(of: UInt8(ascii: "(")),
            let equals = line.lastIndex(of: UInt8(ascii: "=")),
            let close = line[..<equals].lastIndex(of: UInt8(ascii: ")")), open < close
        else { return nil }
        var tag = String(decoding: line[..<open].filter { $0 != 0x20 }, as: UTF8.self).uppercased()
        let isEscaped = tag.hasPrefix("\\")
        if isEscaped { tag.removeFirst() }
        if tag.hasPrefix("SHA2-") { tag = "SHA" + tag.dropFirst(5) }
        let digits = line[line.index(after: equals)...].filter { $0 != 0x20 && $0 != 0x09 }
        guard let algorithm = Checksum.Algorithm(name: tag),
            let checksum = Checksum(algorithm, digits: String(decoding: digits, as: UTF8.self))
        else { return nil }
        let name = line[line.index(after: open)..<close]
        return Entry(checksum: checksum, path: isEscaped ? unescaped(name) : Array(name))
    }

    private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = name
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch next {
            case UInt8(ascii: "n"): bytes.append(0x0a)
            case UInt8(ascii: "r"): bytes.append(0x0d)
            case _: bytes.append(next)
            }
        }
        return bytes
    }
}
