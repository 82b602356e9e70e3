internal import TransferModel

/// The three forms of a date in an HTTP field (RFC 9110, section 5.6.7), in whole seconds.
enum HTTPDate {
    /// nil for anything else.
    static func parse(_ text: String) -> Timestamp? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }
        guard let clock = words.firstIndex(where: { $0.contains(":") }) else { return nil }
        let isAsctime = clock == 3 && words.count == 5
        guard isAsctime || (clock == 4 && words.count == 6 && words[5] == "GMT") else { return nil }
        let day = isAsctime ? words[2] : words[1]
        let month = isAsctime ? words[1] : words[2]
        let year = isAsctime ? words[4] : words[3]
        return timestamp(year: year, month: month, day: day, clock: words[clock])
    }

    /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ time: Timestamp) -> String {
        let date = CalendarTime(time)
        // Day 0 of the count was a Thursday.
        let days = (time.rawValue - (time.rawValue % 86_400_000 + 86_400_000) % 86_400_000) / 86_400_000
        let weekday = weekdays[Int(((days + 4) % 7 + 7) % 7)]
        let month = months[Int(date.month) - 1]
        let clock = [date.hour, date.minute, date.second].map { padded($0, 2) }.joined(separator: ":")
        return "\(weekday), \(padded(date.day, 2)) \(month) \(padded(date.year, 4)) \(clock) GMT"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func timestamp(
        year: Substring, month: Substring, day: Substring, clock: Substring
    ) -> Timestamp? {
        let parts = clock.split(separator: ":").compactMap { UInt8($0) }
        guard parts.count == 3, parts[0] < 24, parts[1] < 60, parts[2] <= 60 else { return nil }
        guard let number = Int64(year), (0...9999).contains(number) else { return nil }
        guard let index = months.firstIndex(of: String(month)), let date = Int64(day) else { return nil }
        // A year of two digits: 70 to 99 lie in the last century, as asctime and RFC 850 meant them.
        let whole = year.utf8.count > 2 ? number : number + (number < 70 ? 2000 : 1900)
        return CalendarTime(
            year: whole, month: Int64(index) + 1, day: date, hour: Int64(parts[0]), minute: Int64(parts[1]),
            second: Int64(parts[2])
        ).timestamp
    }
}
