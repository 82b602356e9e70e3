/// When a lane reads the rest of a body itself.
///
/// The connection cannot be kept after that, which is nothing beside a long body that comes quickly. One that the network
/// holds back gains nothing.
public struct ReadingTerms: Sendable {
    /// How many bytes have to be left. They are more than sockets hold, so that what an FTP server says behind the data has
    /// not come yet, and libcurl has not read it.
    let smallestRest: Int64
    /// So many bytes that come in no more than so many nanoseconds are quick.
    let piece: Int64
    let quickTime: UInt64

    public init(
        smallestRest: Int64 = 67_108_864, piece: Int64 = 4_194_304, quickTime: UInt64 = 100_000_000
    ) {
        self.smallestRest = smallestRest
        self.piece = piece
        self.quickTime = quickTime
    }
}

/// How quickly a body comes.
struct Pace {
    private var begin: (count: Int64, time: UInt64)?

    /// Whether the last piece of the `count` bytes that have come so far was quick; asked whenever some have come. The
    /// first ones are not counted: they may have waited for the file.
    mutating func isQuick(_ count: Int64, now: UInt64, by terms: ReadingTerms) -> Bool {
        guard count > 0 else { return false }
        guard let begin else {
            begin = (count, now)
            return false
        }
        guard count - begin.count >= terms.piece else { return false }
        self.begin = (count, now)
        return now - begin.time <= terms.quickTime
    }
}
