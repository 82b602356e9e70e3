internal import TransferModel

/// A checkpoint as it stands in the table: JSON, keys sorted, or NULL for the empty one.
extension Checkpoint {
    func json() throws(SQLiteError) -> String? {
        guard self != Checkpoint() else { return nil }
        if let text = plainUploadJSON ?? plainDownloadJSON { return text }
        return try JSONText.encode(self)
    }

    /// What every upload writes down before it renames, without Foundation, which takes a tenth of a millisecond; nil
    /// for any other checkpoint.
    private var plainUploadJSON: String? {
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

    /// What every download writes down before it renames.
    private var plainDownloadJSON: String? {
        var plain = Checkpoint()
        plain.localTemporary = localTemporary
        plain.validator = validator
        guard plain == self, let localTemporary, let validator,
            let name = JSONText.plain(localTemporary.name.bytes), let version = validator.plainJSON
        else { return nil }
        return "{\"localTemporary\":{\"device\":\(localTemporary.device),\"inode\":\(localTemporary.inode)"
            + ",\"name\":\"\(name)\"},\"validator\":{\(version)}}"
    }
}

extension Checkpoint.Validator {
    /// Its members in the order of their keys; nil when it has checksums, or a text that needs more than quotes escaped.
    fileprivate var plainJSON: String? {
        let texts = [("date", date), ("entityTag", entityTag), ("lastModified", lastModified)]
        var members: [String] = []
        for case (let key, let text?) in texts {
            guard let text = JSONText.withQuotes(text) else { return nil }
            members.append("\"\(key)\":\"\(text)\"")
        }
        if let total { members.append("\"total\":\(total.rawValue)") }
        return checksums == nil ? members.joined(separator: ",") : nil
    }
}
