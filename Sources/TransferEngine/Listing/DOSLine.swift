internal import TransferModel

/// A line of LIST as DOS and IIS write it: `01-29-97  11:32PM       <DIR>          name`.
enum DOSLine {
    /// nil when the line does not begin like one.
    static func read(_ line: some Sequence<UInt8>) -> ListingReader.Reading? {
        let words = LineWords(line)
        guard let date = date(words[0]), let (hour, minute, end) = time(words, 1) else { return nil }
        let what = words[end]
        guard let name = name(words, after: end) else { return .unreadable }
        guard !RemoteEntry.isDots(name) else { return .nothing }
        var time = date
        (time.hour, time.minute) = (hour, minute)
        var entry = RemoteEntry(name: name, kind: .file)
        entry.modified = time.timestamp
        if let size = Int64(digits: what.filter { $0 != UInt8(ascii: ",") }) {
            entry.size = size
            return .entry(entry)
        }
        switch String(decoding: what, as: UTF8.self).uppercased() {
        case "<DIR>": entry.kind = .directory
        case "<JUNCTION>", "<SYMLINK>", "<SYMLINKD>": entry = link(entry)
        default: return .unreadable
        }
        return .entry(entry)
    }

    /// After a size comes one blank; `<DIR>` is padded to ten, and what comes after those belongs to the name.
    private static func name(_ words: LineWords, after index: Int) -> [UInt8]? {
        guard let rest = words.rest(after: index) else { return nil }
        guard words[index].first == UInt8(ascii: "<") else { return rest }
        let blanks = rest.prefix { $0 == 0x20 }.count
        let name = Array(rest.dropFirst(blanks >= 9 ? 9 : blanks))
        return name.isEmpty ? nil : name
    }

    /// `name [target]`
    private static func link(_ entry: RemoteEntry) -> RemoteEntry {
        var name = entry.name
        var target: [UInt8]?
        if name.last == UInt8(ascii: "]"), let bracket = name.lastIndex(of: UInt8(ascii: "[")), bracket > 1,
            name[bracket - 1] == 0x20
        {
            target = Array(name[(bracket + 1)...].dropLast())
            name = Array(name[..<(bracket - 1)])
        }
        return RemoteEntry(name: name, kind: .link, modified: entry.modified, target: target)
    }

    /// `MM-DD-YY`, `MM-DD-YYYY` or `YYYY-MM-DD`; with a first number above 12 the day comes first.
    private static func date(_ word: ArraySlice<UInt8>) -> CalendarTime? {
        let parts = word.split(omittingEmptySubsequences: false) { "-/.".utf8.contains($0) }
        guard parts.count == 3, let first = Int64(digits: parts[0]), let second = Int64(digits: parts[1]),
            let third = Int64(digits: parts[2])
        else { return nil }
        if parts[0].count == 4 { return valid(CalendarTime(year: first, month: second, day: third)) }
        let year: Int64
        switch parts[2].count {
        case 4: year = third
        case 2: year = third + (third < 70 ? 2000 : 1900)
        default: return nil
        }
        let isDayFirst = first > 12
        return valid(
            CalendarTime(
                year: year, month: isDayFirst ? second : first, day: isDayFirst ? first : second))
    }

    private static func valid(_ date: CalendarTime) -> CalendarTime? { date.timestamp == nil ? nil : date }

    /// `11:32PM`, `11:32 PM` or `23:32`, and the first word after it.
    private static func time(_ words: LineWords, _ index: Int) -> (hour: Int64, minute: Int64, end: Int)? {
        let word = words[index]
        let isSuffixed = ["am", "pm"].contains(lowercased(word.suffix(2)))
        guard let clock = ClockTime(isSuffixed ? word.dropLast(2) : word) else { return nil }
        let isSeparate = !isSuffixed && ["am", "pm"].contains(lowercased(words[index + 1]))
        let half = isSuffixed ? lowercased(word.suffix(2)) : isSeparate ? lowercased(words[index + 1]) : nil
        let end = index + (isSeparate ? 2 : 1)
        guard let half else { return (clock.hour, clock.minute, end) }
        guard (1...12).contains(clock.hour) else { return nil }
        return (clock.hour % 12 + (half == "pm" ? 12 : 0), clock.minute, end)
    }

    private static func lowercased(_ word: ArraySlice<UInt8>) -> String {
        String(decoding: word, as: UTF8.self).lowercased()
    }
}
