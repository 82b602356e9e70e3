internal import TransferModel

/// One body of a download: how far it goes, and what is known of the file that it belongs to.
struct DownloadPiece: Hashable, Sendable {
    enum End: Hashable, Sendable {
        /// The offset in the file behind the body's last byte.
        case at(Int64)
        /// Nobody knows before; `isMarked` when a cut body can be told from a whole one.
        case whereTheBodyEnds(isMarked: Bool)
    }

    var end: End
    /// The file's length; nil when the server did not say.
    var total: Int64?
    /// What a later request needs to go on; empty when it may not.
    var validator = Checkpoint.Validator()
    /// The name that the server tells for the file, made harmless.
    var toldName: FileName?
    /// Whether the server has said that parts of the file can be asked for.
    var takesRanges = false

    /// What a body that ended at `reached`, without an error on the way, leaves to do.
    ///
    /// - Parameter isEnough: whether it was ended here, at the end of its segment.
    func next(reached: Int64, isEnough: Bool = false) -> Next {
        switch end {
        case .at(let end) where reached != end && !isEnough:
            return .failed(
                Failure(
                    .temporary, text: "the server announced bytes up to \(end) and sent them up to \(reached)"
                ))
        case .at(let end):
            return end == total && reached == end ? .whole(lengthIsVerified: true) : .goOn
        case .whereTheBodyEnds(let isMarked):
            guard isMarked || reached > 0 else {
                return .failed(
                    Failure(.temporary, text: "the server closed the connection without a length and a byte"))
            }
            return .whole(lengthIsVerified: isMarked)
        }
    }

    enum Next: Hashable, Sendable {
        case whole(lengthIsVerified: Bool)
        /// The server sends a part at a time.
        case goOn
        case failed(Failure)
    }
}
