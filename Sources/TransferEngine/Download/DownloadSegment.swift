internal import TransferModel

/// A window of a download's file that one connection fetches; asked from its lane and from the disk queue.
final class DownloadSegment: Sendable {
    let file: DownloadFile
    /// As it was when it was taken: it may end sooner, or later, by now.
    let window: Window
    private let id: SegmentPlan.ID

    init(_ piece: SegmentPlan.Piece, of file: DownloadFile) {
        self.file = file
        id = piece.id
        window = piece.window
    }

    /// What came of bytes that the connection brought.
    struct Fetched {
        /// How many of them belong to the segment.
        let count: Int
        /// More came than the file is long.
        let isExcess: Bool
    }

    func fetch(_ count: Int) -> Fetched {
        file.inPlan { plan in
            let taken = plan.fetch(Int64(count), of: id, now: .now)
            let isExcess = taken < count && plan.position(of: id) == plan.total
            return Fetched(count: Int(taken), isExcess: isExcess)
        }
    }

    func putBack(_ count: Int) { file.inPlan { $0.putBack(Int64(count), of: id) } }

    /// On the disk queue.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) { try file.write(bytes, to: id) }

    /// Where its next byte belongs.
    var position: Int64 { file.inPlan { $0.position(of: id) ?? window.limit } }

    /// How many bytes of it have come.
    var gain: Int64 { position - window.offset }

    /// Whether nothing of it is left to fetch.
    var isThrough: Bool { file.inPlan { $0.isThrough(id) } }

    /// The file ends where the segment is now.
    func endFile() { file.inPlan { $0.end(at: id) } }

    /// The connection is done with it, and all that it brought is written: the rest is anybody's.
    func release() { file.inPlan { $0.release(id) } }
}

extension MonotonicTime {
    /// What the clock says that only goes forward.
    static var now: MonotonicTime {
        MonotonicTime(rawValue: .nanoseconds(Int64(clamping: LaneAlarms.now)))
    }
}
