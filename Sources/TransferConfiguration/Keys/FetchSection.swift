import TransferModel

/// The keys that say how downloads are fetched: in `[origin]` and after `--option`, some in a route that fetches.
extension FetchWishes {
    static let keys = keysOfOrigins + keysOfJobs

    /// What may hold for all downloads from a server.
    static let keysOfOrigins: [ConfigurationKey<FetchWishes>] = [
        .optional(
            "segments", \.segments, .segments,
            "HTTP: connections that fetch parts of a file of more than 64 MiB: 'auto' (where one is slow or far, as many as 'lanes', at most 8), a number or 'off'."
        ),
        .optional(
            "if_newer", \.isForNewer, .yesNo,
            "Whether nothing is fetched when the file here is the server's: by its version, noted with the file, or by time."
        ),
        .optional(
            "expect_type", \.expectedType, .expectedType,
            "HTTP: the media type that the server has to say a download is of: text/csv, or image/* for all of them."
        ),
    ]

    /// What a route that fetches may say of its files.
    static let keysOfRoutes = keysOfOrigins.filter { $0.name == "segments" }

    /// What belongs to one file.
    private static let keysOfJobs: [ConfigurationKey<FetchWishes>] = [
        .optional(
            "expect_size", \.expectedSize, .number(0...Int.max), "How many bytes the file has to have."),
        .optional(
            "remote_name", \.takesServerName, .yesNo,
            "HTTP: whether the file gets the name that the server tells (Content-Disposition), made harmless, yes or no."
        ),
    ]

    /// What means something to web servers alone.
    static let keysOfWebServers: Set<String> = ["segments", "expect_type", "remote_name"]
}

extension ValueKind where Value == String {
    /// A media type, or all whose first half is the same.
    static var expectedType: ValueKind {
        ValueKind { text throws(Rejection) in
            let whole = text.hasSuffix("/*") ? String(text.dropLast()) + "any" : text
            guard !text.contains(";"), MediaType(whole) != nil else {
                throw Rejection(expected: "a media type such as text/csv or image/*", found: text)
            }
            return text
        } write: {
            $0
        }
    }
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
