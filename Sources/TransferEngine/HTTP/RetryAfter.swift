internal import TransferModel

/// What a server asks for with Retry-After (RFC 9110, section 10.2.3): seconds, or a date.
enum RetryAfter {
    /// The wait from `now` on, never negative; nil for what is neither. The retry policy clamps it.
    static func wait(_ text: String, now: Timestamp) -> Duration? {
        if text.first == "-", Int64(text) != nil { return .zero }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // Beyond any clamp, and far from the end of Duration's milliseconds.
            return .seconds(min(Int64(text) ?? .max, 1 << 40))
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        return max(date.since(now), .zero)
    }
}
