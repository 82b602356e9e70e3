import TransferModel

extension ValueKind where Value == Rate {
    static var rate: ValueKind {
        ValueKind { text throws(Rejection) in
            guard let rate = Rate(text) else {
                throw Rejection(expected: "bytes a second such as 500K or 2M", found: text)
            }
            return rate
        } write: {
            "\($0)"
        }
    }
}
