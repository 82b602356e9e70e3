internal import TransferModel

/// A line of LIST as `ls -l` writes it: mode, links, owner, group, size, date, name; some servers leave some out.
enum UnixLine {
    /// nil when the line does not begin like one.
    static func read(_ line: some Sequence<UInt8>, now: Timestamp) -> ListingReader.Reading? {
        let words = LineWords(line)
        guard let mode = Mode(words) else { return nil }
        for index in (mode.end + 1)..<max(mode.end + 1, words.count) {
            guard isSize(words[index - 1], mode) else { continue }
            guard let date = ListedDate(words, from: index, now: now) else { continue }
            guard var name = words.rest(after: date.end - 1) else { return .unreadable }
            var entry = RemoteEntry(name: [], kind: mode.kind)
            if mode.kind == .link, let arrow = arrow(in: name) {
                entry.target = Array(name[(arrow + 4)...])
                name = Array(name[..<arrow])
            }
            guard !RemoteEntry.isDots(name) else { return .nothing }
            entry = RemoteEntry(name: name, kind: mode.kind, target: entry.target)
            entry.size = mode.isDevice ? nil : Int64(digits: words[index - 1])
            entry.modified = date.time
            entry.permissions = mode.permissions
            (entry.owner, entry.group) = owners(words, mode.end..<(index - 1), mode)
            return .entry(entry)
        }
        return .unreadable
    }

    /// `total 12`, in whatever language, as the first line.
    static func isTotal(_ line: some Sequence<UInt8>) -> Bool {
        let words = LineWords(line)
        guard words.count == 2, let first = words[0].first else { return false }
        return Int64(digits: words[1]) != nil && !(0x30...0x39).contains(first)
    }

    /// A device has two numbers instead: `1, 3`.
    private static func isSize(_ word: ArraySlice<UInt8>, _ mode: Mode) -> Bool {
        if Int64(digits: word) != nil { return true }
        return mode.isDevice && word.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ",") }
    }

    /// What stands between mode and size: perhaps the count of links, then the owner, then perhaps the group, which
    /// may have blanks in it.
    private static func owners(
        _ words: LineWords, _ range: Range<Int>, _ mode: Mode
    ) -> (owner: [UInt8]?, group: [UInt8]?) {
        var range = range
        if mode.isDevice, let last = range.last, words[last].last == UInt8(ascii: ",") {
            range = range.dropLast()
        }
        // One word alone is a name, unless it is a number.
        if let first = range.first, Int64(digits: words[first]) != nil, mode.hasLinks {
            range = range.dropFirst()
        }
        guard let owner = range.first else { return (nil, nil) }
        return (words.text(owner..<(owner + 1)), words.text((owner + 1)..<range.upperBound))
    }

    /// Where ` -> ` begins.
    private static func arrow(in name: [UInt8]) -> Int? {
        let arrow = Array(" -> ".utf8)
        guard name.count > arrow.count else { return nil }
        return (1...(name.count - arrow.count)).first { name[$0..<($0 + arrow.count)].elementsEqual(arrow) }
    }

    /// `drwxr-xr-x`, perhaps with a sign for more than that; NetWare has `d [RWCEAFMS]`, and no links.
    private struct Mode {
        let kind: RemoteEntry.Kind
        let permissions: Permissions?
        let isDevice: Bool
        let hasLinks: Bool
        /// The first word after it.
        let end: Int

        init?(_ words: LineWords) {
            let word = Array(words[0])
            guard let letter = word.first else { return nil }
            switch letter {
            case UInt8(ascii: "-"): kind = .file
            case UInt8(ascii: "d"): kind = .directory
            case UInt8(ascii: "l"): kind = .link
            case let letter where "bcpsDPC".utf8.contains(letter): kind = .other
            default: return nil
            }
            isDevice = letter == UInt8(ascii: "b") || letter == UInt8(ascii: "c")
            if word.count == 1 {
                guard words[1].first == UInt8(ascii: "["), words[1].last == UInt8(ascii: "]") else {
                    return nil
                }
                (permissions, hasLinks, end) = (nil, false, 2)
                return
            }
            guard word.count >= 10, word[1..<10].allSatisfy({ "rwxsStTlL-".utf8.contains($0) }) else {
                return nil
            }
            guard word.count == 10 || word.count == 11 && "+.@*".utf8.contains(word[10]) else { return nil }
            (permissions, hasLinks, end) = (Self.permissions(word[1..<10]), true, 1)
        }

        private static func permissions(_ letters: ArraySlice<UInt8>) -> Permissions {
            var bits: UInt16 = 0
            for (index, letter) in letters.enumerated() {
                let isSpecial = "sStTlL".utf8.contains(letter)
                if isSpecial { bits |= 0o4000 >> (index / 3) }
                if letter != UInt8(ascii: "-"), !"STlL".utf8.contains(letter) { bits |= 0o400 >> index }
            }
            return Permissions(bits)
        }
    }
}
