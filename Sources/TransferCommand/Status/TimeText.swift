internal import Glibc
internal import TransferModel

/// Times as text.
enum TimeText {
    /// `2031-05-28T14:30:00.000Z` (RFC 3339).
    static func rfc3339(_ time: Timestamp) -> String {
        let (seconds, milliseconds) = time.rawValue.parts
        var clock = time_t(seconds)
        var fields = tm()
        gmtime_r(&clock, &fields)
        return "\(date(fields))T\(hour(fields)).\(padded(Int32(milliseconds), 3))Z"
    }

    /// `2031-05-28 14:30:00` in local time.
    static func local(_ time: Timestamp) -> String {
        var clock = time_t(time.rawValue.parts.seconds)
        var fields = tm()
        localtime_r(&clock, &fields)
        return "\(date(fields)) \(hour(fields))"
    }

    private static func date(_ fields: tm) -> String {
        "\(padded(fields.tm_year + 1900, 4))-\(padded(fields.tm_mon + 1, 2))-\(padded(fields.tm_mday, 2))"
    }

    private static func hour(_ fields: tm) -> String {
        "\(padded(fields.tm_hour, 2)):\(padded(fields.tm_min, 2)):\(padded(fields.tm_sec, 2))"
    }

    private static func padded(_ number: Int32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    /// Whole seconds, rounded down, and the milliseconds after them.
    fileprivate var parts: (seconds: Int64, milliseconds: Int64) {
        let seconds = (self >= 0 ? self : self - 999) / 1000
        return (seconds, self - seconds * 1000)
    }
}
