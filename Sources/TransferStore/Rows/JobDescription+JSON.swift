internal import TransferModel

/// A job's description as it stands in the table: JSON, keys sorted.
///
/// Nearly all are plain: a file, or a form's few fields, and nothing said about how. Foundation takes a tenth of a
/// millisecond to read one; so these are written and read here, to the same text.
extension JobDescription {
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

    /// nil for all but plain ones of whose texts none needs an escape.
    private var plainJSON: String? {
        switch self {
        case .upload(let upload): upload.plainJSON
        case .form(let form): form.plainJSON
        case .download(let download): download.plainJSON
        case .remote: nil
        }
    }

    private static func plain(_ json: [UInt8]) -> JobDescription? {
        var rest = json[...]
        let found: JobDescription?
        if rest.take(UploadDescription.head) {
            found = UploadDescription(plain: &rest).map { .upload($0) }
        } else if rest.take(FormDescription.head) {
            found = FormDescription(plain: &rest).map { .form($0) }
        } else if rest.take(DownloadDescription.head) {
            found = DownloadDescription(plain: &rest).map { .download($0) }
        } else {
            found = nil
        }
        return rest.isEmpty ? found : nil
    }
}

extension UploadDescription {
    fileprivate static let head = #"{"upload":{"_0":{"source":"#
    private static let tail = "}}}"

    fileprivate var plainJSON: String? {
        guard self == UploadDescription(source: source), let file = source.plainJSON else { return nil }
        return Self.head + file + Self.tail
    }

    fileprivate init?(plain rest: inout ArraySlice<UInt8>) {
        guard let source = SourceFile(plain: &rest), rest.take(Self.tail) else { return nil }
        self.init(source: source)
    }
}

extension DownloadDescription {
    fileprivate static let head = #"{"download":{"_0":{"directory":""#
    private static let name = #"","target":""#
    private static let tail = #""}}}"#

    fileprivate var plainJSON: String? {
        guard self == DownloadDescription(directory: directory, target: target),
            let directory = JSONText.plain(directory.bytes), let target = JSONText.plain(target.bytes)
        else { return nil }
        return Self.head + directory + Self.name + target + Self.tail
    }

    fileprivate init?(plain rest: inout ArraySlice<UInt8>) {
        guard let directory = rest.takeText(), rest.take(Self.name), let target = rest.takeText(),
            rest.take(Self.tail), let directory = FilePath(bytes: directory),
            let target = FilePath(bytes: target)
        else { return nil }
        self.init(directory: directory, target: target)
    }
}

extension FormDescription {
    fileprivate static let head = #"{"form":{"_0":{"headers":[],"parts":["#
    private static let tail = "]}}}"

    fileprivate var plainJSON: String? {
        guard self == FormDescription(parts: parts), !parts.isEmpty else { return nil }
        let texts = parts.compactMap(\.plainJSON)
        return texts.count == parts.count ? Self.head + texts.joined(separator: ",") + Self.tail : nil
    }

    fileprivate init?(plain rest: inout ArraySlice<UInt8>) {
        var parts: [FormPart] = []
        repeat {
            guard let part = FormPart(plain: &rest) else { return nil }
            parts.append(part)
        } while rest.take(",")
        guard rest.take(Self.tail) else { return nil }
        self.init(parts: parts)
    }
}
