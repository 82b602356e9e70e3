/// A moment as a date and a time of day in UTC, in the proleptic Gregorian calendar.
public struct CalendarTime: Hashable, Sendable {
    public var year: Int64
    /// From 1 on, as are days.
    public var month: Int64
    public var day: Int64
    public var hour: Int64
    public var minute: Int64
    public var second: Int64
    public var millisecond: Int64

    public init(
        year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0,
        millisecond: Int64 = 0
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.millisecond = millisecond
    }

    public init(_ time: Timestamp) {
        let (days, rest) = time.rawValue.quotientAndModulus(86_400_000)
        // Years are counted from March, so that the leap day is the last.
        let (era, dayOfEra) = (days + 719_468).quotientAndModulus(146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = rest / 3_600_000
        minute = rest / 60_000 % 60
        second = rest / 1000 % 60
        millisecond = rest % 1000
    }

    /// nil when there is no such day or time; a leap second counts as the one after it.
    public var timestamp: Timestamp? {
        guard (0...9999).contains(year), (1...12).contains(month), (1...daysOfMonth).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.quotientAndModulus(400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        return Timestamp(rawValue: seconds * 1000 + millisecond)
    }

    private var daysOfMonth: Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// `2031-05-28T14:30:00Z` (RFC 3339), with a fraction only where there is one.
    public var text: String {
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let time = "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
        return "\(date)T\(time)\(millisecond == 0 ? "" : ".\(Self.padded(millisecond, 3))")Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    /// Division that rounds down, so that the rest is never negative.
    fileprivate func quotientAndModulus(_ divisor: Int64) -> (Int64, Int64) {
        let quotient = (self >= 0 ? self : self - (divisor - 1)) / divisor
        return (quotient, self - quotient * divisor)
    }
}
