internal import TransferModel

extension DownloadPlace {
    /// What a file of that version has to be.
    func claims(_ version: Checkpoint.Validator?) -> DownloadClaims {
        DownloadClaims(given: given, served: version?.checksums ?? [])
    }

    /// What the job itself says of its file.
    static func ordered(_ description: DownloadDescription) -> [DownloadClaim] {
        (description.checksums ?? []).map { DownloadClaim(checksum: $0, source: .order) }
    }
}
