internal import Glibc
internal import TransferConfiguration
internal import TransferModel

/// A time as a person writes it: a point on the clock, or `+5m` from now.
enum Moment: Hashable, Sendable {
    case at(Timestamp)
    case after(Duration)

    func timestamp(from now: Timestamp) -> Timestamp {
        switch self {
        case .at(let time): time
        case .after(let wait): now + wait
        }
    }

    /// What ``init(_:)`` takes, for messages.
    static let forms = "+2d, 2031-05-28, '2031-05-28 14:30' in local time, or 2031-05-28T14:30:00Z"

    /// nil for a text of another form, or a day or hour that does not exist.
    init?(_ text: String) {
        if text.hasPrefix("+") {
            guard let wait = DurationText.read(text.dropFirst()) else { return nil }
            self = .after(wait)
        } else {
            guard let time = DateText(text)?.timestamp else { return nil }
            self = .at(time)
        }
    }
}

/// `YYYY-MM-DD[ HH:MM[:SS[.fff]]][Z|+HH:MM]`, with a blank or a `T` in the middle (RFC 3339, section 5.6).
private struct DateText {
    private var fields = tm()
    private var milliseconds: Int64 = 0
    /// Seconds east of Greenwich; nil: local time.
    private var zone: Int?
    private var rest: ArraySlice<UInt8>

    init?(_ text: String) {
        rest = Array(text.utf8)[...]
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else {
            return nil
        }
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
            return nil
        }
        fields.tm_year = Int32(year - 1900)
        fields.tm_mon = Int32(month - 1)
        fields.tm_mday = Int32(day)
        guard rest.isEmpty || readTime() else { return nil }
    }

    /// nil where the calendar has no such day.
    var timestamp: Timestamp? {
        var converted = fields
        // The C library finds out whether summer time holds.
        converted.tm_isdst = -1
        let seconds = zone == nil ? mktime(&converted) : timegm(&converted)
        guard converted.tm_mday == fields.tm_mday, converted.tm_mon == fields.tm_mon else { return nil }
        return Timestamp(rawValue: Int64(seconds - (zone ?? 0)) * 1000 + milliseconds)
    }

    private mutating func readTime() -> Bool {
        guard skip(" ") || skip("T") || skip("t"), let hour = number(2), skip(":"), let minute = number(2)
        else {
            return false
        }
        var second = 0
        if skip(":") {
            guard let seconds = number(2) else { return false }
            second = seconds
            if skip(".") { guard readFraction() else { return false } }
        }
        guard hour < 24, minute < 60, second <= 60 else { return false }
        fields.tm_hour = Int32(hour)
        fields.tm_min = Int32(minute)
        fields.tm_sec = Int32(second)
        return readZone() && rest.isEmpty
    }

    private mutating func readFraction() -> Bool {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count)
        let padded = String(decoding: digits.prefix(3), as: UTF8.self) + String(repeating: "0", count: 3)
        milliseconds = Int64(padded.prefix(3)) ?? 0
        return !digits.isEmpty
    }

    private mutating func readZone() -> Bool {
        if rest.isEmpty { return true }
        if skip("Z") || skip("z") {
            zone = 0
            return true
        }
        let east = skip("+")
        guard east || skip("-"), let hours = number(2), skip(":"), let minutes = number(2) else {
            return false
        }
        guard hours < 24, minutes < 60 else { return false }
        zone = (east ? 1 : -1) * (hours * 3600 + minutes * 60)
        return true
    }

    private mutating func number(_ digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        return Int(String(decoding: text, as: UTF8.self))
    }

    private mutating func skip(_ character: Character) -> Bool {
        guard rest.first == character.asciiValue else { return false }
        rest = rest.dropFirst()
        return true
    }
}
