import TransferModel

/// The keys that say how downloads are fetched: in `[origin]` and after `--option`.
extension FetchWishes {
    static let keys: [ConfigurationKey<FetchWishes>] = [
        .optional(
            "segments", \.segments, .segments,
            "HTTP: connections that fetch parts of a file of more than 64 MiB: 'auto' (as many as 'lanes', at most 8), a number or 'off'."
        )
    ]
}

extension ValueKind where Value == SegmentWish {
    static var segments: ValueKind {
        ValueKind { text throws(Rejection) in
            guard let wish = SegmentWish(text) else {
                throw Rejection(expected: "a number from 1 to 64, 'auto' or 'off'", found: text)
            }
            return wish
        } write: {
            "\($0)"
        }
    }
}
