internal import TransferModel

/// The date of a line of `ls -l`: `Jan 29 1997`, `Jan 29 14:05`, `29 Jan 14:05`, `2031-01-29 14:05`, `Jan 29 14:05:59 1997`.
///
/// It is taken as UTC, since no list names its zone.
struct ListedDate: Hashable {
    let time: Timestamp?
    /// The first word after it.
    let end: Int

    /// nil when the words from `index` on are no date.
    init?(_ words: LineWords, from index: Int, now: Timestamp) {
        guard let date = Self.iso(words, index) ?? Self.month(words, index, now) else { return nil }
        self = date
    }

    private init(_ time: CalendarTime, end: Int) {
        self.time = time.timestamp
        self.end = end
    }

    private init(time: Timestamp?, end: Int) {
        self.time = time
        self.end = end
    }

    /// `2031-01-29 14:05`, with seconds, a fraction and a zone as `ls --full-time` has them.
    private static func iso(_ words: LineWords, _ index: Int) -> ListedDate? {
        let date = words[index].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard date.count == 3, date[0].count == 4, let year = Int64(digits: date[0]),
            let month = Int64(digits: date[1]), let day = Int64(digits: date[2])
        else { return nil }
        var time = CalendarTime(year: year, month: month, day: day)
        guard time.timestamp != nil, let clock = ClockTime(words[index + 1]) else { return nil }
        (time.hour, time.minute, time.second) = (clock.hour, clock.minute, clock.second ?? 0)
        guard clock.second != nil, let offset = zone(words[index + 2]) else {
            return ListedDate(time, end: index + 2)
        }
        return ListedDate(time: time.timestamp.map { $0 + .seconds(-60 * offset) }, end: index + 3)
    }

    /// `+0100`, in minutes.
    private static func zone(_ word: ArraySlice<UInt8>) -> Int64? {
        guard word.count == 5, let sign = word.first, "+-".utf8.contains(sign),
            let number = Int64(digits: word.dropFirst())
        else { return nil }
        let minutes = number / 100 * 60 + number % 100
        return sign == UInt8(ascii: "-") ? -minutes : minutes
    }

    /// Month and day in either order, then a year or a time of the last such day.
    private static func month(_ words: LineWords, _ index: Int, _ now: Timestamp) -> ListedDate? {
        let isMonthFirst = monthNumber(words[index]) != nil
        guard let month = monthNumber(words[isMonthFirst ? index : index + 1]),
            let day = dayNumber(words[isMonthFirst ? index + 1 : index])
        else { return nil }
        let last = words[index + 2]
        if (4...5).contains(last.count), let year = Int64(digits: last) {
            return ListedDate(CalendarTime(year: year, month: month, day: day), end: index + 3)
        }
        guard let clock = ClockTime(last) else { return nil }
        var time = CalendarTime(
            year: 0, month: month, day: day, hour: clock.hour, minute: clock.minute,
            second: clock.second ?? 0)
        if clock.second != nil, words[index + 3].count == 4, let year = Int64(digits: words[index + 3]) {
            time.year = year
            return ListedDate(time, end: index + 4)
        }
        return ListedDate(time: latest(time, before: now + .seconds(86_400)), end: index + 3)
    }

    /// In the last year in which there is such a day, and it is not after `limit`.
    private static func latest(_ time: CalendarTime, before limit: Timestamp) -> Timestamp? {
        let year = CalendarTime(limit).year
        let candidates = (Int64(0)...8).lazy.map { back in
            var time = time
            time.year = year - back
            return time.timestamp
        }
        return candidates.compactMap { $0 }.first { $0 <= limit }
    }

    private static func monthNumber(_ word: ArraySlice<UInt8>) -> Int64? {
        let name = String(decoding: word, as: UTF8.self).lowercased()
        return names.firstIndex(of: name.hasSuffix(".") ? String(name.dropLast()) : name).map {
            Int64($0) + 1
        }
    }

    private static let names = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func dayNumber(_ word: ArraySlice<UInt8>) -> Int64? {
        let digits = word.last == UInt8(ascii: ".") ? word.dropLast() : word
        return digits.count <= 2 ? Int64(digits: digits).flatMap { (1...31).contains($0) ? $0 : nil } : nil
    }
}

/// `14:05` or `14:05:59`, perhaps with a fraction.
struct ClockTime: Hashable {
    let hour: Int64
    let minute: Int64
    let second: Int64?

    init?(_ word: some Collection<UInt8>) {
        let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts[0].count <= 2, let hour = Int64(digits: parts[0]),
            parts[1].count == 2, let minute = Int64(digits: parts[1]), hour < 24, minute < 60
        else { return nil }
        self.hour = hour
        self.minute = minute
        guard parts.count == 3 else {
            second = nil
            return
        }
        let whole = parts[2].prefix { $0 != UInt8(ascii: ".") }
        guard whole.count == 2, let second = Int64(digits: whole), second <= 60 else { return nil }
        self.second = second
    }
}
