internal import TransferModel

/// What tells one version of a file at an SFTP server from another.
struct SFTPFacts: Hashable {
    let size: Int64?
    let modified: UInt32?

    init(_ attributes: SFTPAttributes) {
        size = attributes.size.flatMap(Int64.init(exactly:))
        modified = attributes.modified
    }

    /// What a later attempt compares; seconds since 1970 for the time.
    var validator: Checkpoint.Validator {
        Checkpoint.Validator(
            lastModified: modified.map { "\($0)" }, total: size.map(ByteCount.init(rawValue:)))
    }

    /// Whether bytes of the version `known` may be gone on with from `offset`: same time, same size, and some left.
    func allowsResume(at offset: Int64, of known: Checkpoint.Validator, hasChecksum: Bool) -> Bool {
        guard let size, known.total?.rawValue == size, offset < size else { return false }
        if let modified, let before = known.lastModified { return "\(modified)" == before }
        return hasChecksum
    }

    var piece: DownloadPiece {
        DownloadPiece(
            end: size.map(DownloadPiece.End.at) ?? .whereTheBodyEnds(isMarked: true), total: size,
            validator: validator)
    }
}
