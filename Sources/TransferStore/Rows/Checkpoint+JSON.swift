internal import TransferModel

/// A checkpoint as it stands in the table: JSON, keys sorted, or NULL for the empty one.
extension Checkpoint {
    func json() throws(SQLiteError) -> String? {
        guard self != Checkpoint() else { return nil }
        if let plainJSON { return plainJSON }
        return try JSONText.encode(self)
    }

    /// What every upload writes down before it renames, without Foundation, which takes a tenth of a millisecond; nil
    /// for any other checkpoint.
    private var plainJSON: String? {
        var plain = Checkpoint()
        plain.source = source
        plain.remoteTemporary = remoteTemporary
        plain.verified = verified
        guard plain == self, let source, let verified,
            let temporary = remoteTemporary.flatMap({ JSONText.plain($0.bytes) })
        else { return nil }
        return "{\"remoteTemporary\":\"\(temporary)\",\"source\":{\"device\":\(source.device)"
            + ",\"inode\":\(source.inode),\"modified\":\(source.modified),\"size\":\(source.size.rawValue)}"
            + ",\"verified\":\(verified.rawValue)}"
    }
}
