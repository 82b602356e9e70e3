internal import TransferModel

/// A job's description as it stands in the table: JSON, keys sorted.
///
/// Nearly all are plain uploads (a file, and nothing said about its delivery), and Foundation takes a tenth of a
/// millisecond to read one; so these are written and read here, to the same text.
extension JobDescription {
    private static let head = #"{"upload":{"_0":{"source":{"name":""#
    private static let path = #"","path":""#
    private static let root = #"","root":{""#
    private static let spool = #"spool":{}"#
    private static let intake = #"intake":{}"#
    private static let inPlace = #"inPlace":{"_0":""#
    private static let inPlaceEnd = #""}"#
    private static let tail = "}}}}}"

    func json() throws(SQLiteError) -> String {
        if let plainJSON { return plainJSON }
        return try JSONText.encode(self)
    }

    /// nil when `json` describes no job.
    init?(json: [UInt8]) {
        let found = Self.plain(json) ?? JSONText.decode(JobDescription.self, json)
        guard let found else { return nil }
        self = found
    }

    /// nil for all but plain uploads of files whose names need no escape.
    private var plainJSON: String? {
        guard case .upload(let upload) = self, upload == UploadDescription(source: upload.source),
            let name = JSONText.plain(upload.source.name.bytes),
            let path = JSONText.plain(upload.source.path.bytes)
        else { return nil }
        let start = Self.head + name + Self.path + path + Self.root
        switch upload.source.root {
        case .spool: return start + Self.spool + Self.tail
        case .intake: return start + Self.intake + Self.tail
        case .inPlace(let directory):
            guard let directory = JSONText.plain(directory.bytes) else { return nil }
            return start + Self.inPlace + directory + Self.inPlaceEnd + Self.tail
        }
    }

    private static func plain(_ json: [UInt8]) -> JobDescription? {
        var rest = json[...]
        guard rest.take(head), let name = rest.takeText(), rest.take(path), let path = rest.takeText(),
            rest.take(root), let root = takeRoot(&rest), rest.take(tail), rest.isEmpty,
            let name = FileName(bytes: name), let path = FilePath(bytes: path)
        else { return nil }
        return .upload(UploadDescription(source: SourceFile(root: root, path: path, name: name)))
    }

    private static func takeRoot(_ rest: inout ArraySlice<UInt8>) -> SourceFile.Root? {
        if rest.take(spool) { return .spool }
        if rest.take(intake) { return .intake }
        guard rest.take(inPlace), let directory = rest.takeText(), rest.take(inPlaceEnd) else { return nil }
        return FilePath(bytes: directory).map { .inPlace($0) }
    }
}

extension ArraySlice<UInt8> {
    /// Whether it began with `text`, which is gone then.
    fileprivate mutating func take(_ text: String) -> Bool {
        guard starts(with: text.utf8) else { return false }
        self = dropFirst(text.utf8.count)
        return true
    }

    /// What stands before the next quotation mark; nil when anything in it has been escaped or is not ASCII.
    fileprivate mutating func takeText() -> [UInt8]? {
        guard
            let end = firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 >= 0x7f }
            ),
            self[end] == UInt8(ascii: "\"")
        else { return nil }
        defer { self = self[end...] }
        return Array(self[..<end])
    }
}
