internal import TransferModel

/// One request of a download: from where on, and of which version of the remote file.
struct DownloadQuestion: Hashable, Sendable {
    /// The first byte asked for; 0 asks for the whole file, without Range.
    var offset: Int64 = 0
    /// The offset behind the last byte asked for; nil: all that there is.
    var end: Int64?
    /// What is known of the version that the bytes before `offset` belong to.
    var known = Checkpoint.Validator()
    /// Whether a checksum will tell a file of two versions from a whole one.
    var hasChecksum = false
    /// Whether a compressed answer is to be undone as it comes; set after a server compressed without being asked.
    var undoesCoding = false
    /// Fields that make an answer without a file of it when the one that is here is the server's.
    var conditions: [String] = []

    /// The same download asked for from the start, of whatever version there is.
    var fromStart: DownloadQuestion { DownloadQuestion(hasChecksum: hasChecksum, undoesCoding: undoesCoding) }

    /// The fields that make the request: never a compressed answer, and a range only of the known version.
    var fields: [String] {
        guard goesOn else { return ["Accept-Encoding: identity"] + conditions }
        let condition = known.condition.map { ["If-Range: \($0)"] } ?? []
        return ["Accept-Encoding: identity", "Range: bytes=\(offset)-\(end.map { "\($0 - 1)" } ?? "")"]
            + condition
    }

    /// Asks for a window of a file that is `total` bytes long; one that goes to its end is asked for without an end.
    mutating func aim(at window: Window, of total: Int64?) {
        offset = window.offset
        end = window.limit == total ?? .max ? nil : window.limit
    }

    /// Whether a part of a known version is asked for.
    var goesOn: Bool { offset > 0 || end != nil }

    /// Whether the answer may be that the file which is here is the server's.
    var hasConditions: Bool { !goesOn && !conditions.isEmpty }

    /// Whether bytes of the known version may be gone on with by a later request.
    static func canResume(_ known: Checkpoint.Validator, hasChecksum: Bool) -> Bool {
        hasChecksum || known.condition != nil
    }
}

extension Checkpoint.Validator {
    /// The entity tag when it is a strong one.
    var strongTag: String? { entityTag.flatMap { $0.hasPrefix("\"") && $0.utf8.count > 1 ? $0 : nil } }

    /// What If-Range may hold (RFC 9110, section 13.1.5): a strong entity tag, or a Last-Modified that was a minute
    /// old at the Date of its answer (section 8.8.2.2: two changes within a second look alike, and two clocks differ).
    var condition: String? {
        if let strongTag { return strongTag }
        guard let text = lastModified, let modified = HTTPDate.parse(text) else { return nil }
        guard let date = date.flatMap(HTTPDate.parse), date.since(modified) >= .seconds(60) else {
            return nil
        }
        return text
    }

    /// Whether an answer speaks of this version; nil when it does not say.
    func matches(_ head: HTTPHead) -> Bool? {
        let tag = head.value("etag")
        if let tag, let entityTag, tag != entityTag { return false }
        let modified = head.value("last-modified")
        if let modified, let lastModified, modified != lastModified { return false }
        if strongTag != nil { return tag == nil ? nil : true }
        return modified != nil && lastModified != nil ? true : nil
    }

    /// What an answer says about the version that it carries.
    init(_ head: HTTPHead, total: Int64?) {
        self.init(
            entityTag: head.value("etag"), lastModified: head.value("last-modified"),
            date: head.value("date"), total: total.map(ByteCount.init(rawValue:)),
            checksums: RepresentationDigests.read(head))
    }
}
