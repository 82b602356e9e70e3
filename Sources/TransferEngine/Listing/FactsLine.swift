internal import TransferModel

/// A line of MLSD or MLST: facts, a blank, a name (RFC 3659, section 7).
enum FactsLine {
    static func read(_ line: some Sequence<UInt8>) -> ListingReader.Reading {
        let line = Array(line)
        guard let blank = endOfFacts(line) else { return .unreadable }
        let name = Array(line[(blank + 1)...])
        guard !name.isEmpty else { return .unreadable }
        let facts = facts(line[..<blank])
        let type = facts["type"] ?? []
        let isOther = type.lowercased == "cdir" || type.lowercased == "pdir"
        guard !isOther, !RemoteEntry.isDots(name) else { return .nothing }
        var entry = RemoteEntry(name: name, kind: kind(facts))
        entry.target = target(type)
        entry.size = facts["size"].flatMap { Int64(digits: $0) }
        entry.modified = facts["modify"].flatMap(time)
        entry.permissions = facts["unix.mode"].flatMap(permissions)
        entry.owner = facts["unix.ownername"] ?? facts["unix.owner"] ?? facts["unix.uid"]
        entry.group = facts["unix.groupname"] ?? facts["unix.group"] ?? facts["unix.gid"]
        return .entry(entry)
    }

    /// The facts end with `; `. Some servers leave the last semicolon out, and some have blanks in a link's target.
    private static func endOfFacts(_ line: [UInt8]) -> Int? {
        if line.first == 0x20 { return 0 }
        let marked = line.indices.dropLast().first { line[$0] == UInt8(ascii: ";") && line[$0 + 1] == 0x20 }
        if let marked { return marked + 1 }
        guard let blank = line.firstIndex(of: 0x20), line[..<blank].contains(UInt8(ascii: "=")) else {
            return nil
        }
        return blank
    }

    /// The facts' names are the same in any case; the first of each counts.
    private static func facts(_ text: ArraySlice<UInt8>) -> [String: [UInt8]] {
        var facts: [String: [UInt8]] = [:]
        for fact in text.split(separator: UInt8(ascii: ";")) {
            guard let sign = fact.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = Array(fact[..<sign]).lowercased
            if facts[name] == nil { facts[name] = Array(fact[(sign + 1)...]) }
        }
        return facts
    }

    /// Where the type is missing, what one may do with it tells (section 7.5.5).
    private static func kind(_ facts: [String: [UInt8]]) -> RemoteEntry.Kind {
        let type = (facts["type"] ?? []).lowercased
        if type == "file" { return .file }
        if type == "dir" { return .directory }
        if type.hasPrefix("os.unix=slink") || type.hasPrefix("os.unix=symlink") { return .link }
        guard type.isEmpty else { return .other }
        let permitted = (facts["perm"] ?? []).lowercased
        if permitted.contains(where: { "celmp".contains($0) }) { return .directory }
        return facts["size"] != nil || permitted.contains(where: { "arw".contains($0) }) ? .file : .other
    }

    /// `OS.unix=slink:TARGET`
    private static func target(_ type: [UInt8]) -> [UInt8]? {
        guard type.lowercased.hasPrefix("os.unix="), let colon = type.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        let target = Array(type[(colon + 1)...])
        return target.isEmpty ? nil : target
    }

    /// `YYYYMMDDHHMMSS`, perhaps with a fraction, in UTC (section 2.3).
    static func time(_ text: [UInt8]) -> Timestamp? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, let digits = parts.first.map(Array.init), digits.count == 14 else {
            return nil
        }
        func number(_ range: Range<Int>) -> Int64? { Int64(digits: digits[range]) }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            let hour = number(8..<10), let minute = number(10..<12), let second = number(12..<14)
        else { return nil }
        let fraction = parts.count == 2 ? Array(parts[1].prefix(3)) : []
        let padded = fraction + Array(repeating: 0x30, count: 3 - fraction.count)
        guard let milliseconds = Int64(digits: padded) else { return nil }
        return CalendarTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second,
            millisecond: milliseconds
        ).timestamp
    }

    /// Octal, perhaps with the file's type before the bits.
    private static func permissions(_ text: [UInt8]) -> Permissions? {
        UInt32(String(decoding: text, as: UTF8.self), radix: 8).map { Permissions(UInt16($0 & 0o7777)) }
    }
}

extension Collection<UInt8> {
    /// As text in lower case, for words of the protocol.
    fileprivate var lowercased: String { String(decoding: self, as: UTF8.self).lowercased() }
}
