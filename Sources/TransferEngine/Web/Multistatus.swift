internal import TransferModel

/// An answer 207 to PROPFIND (RFC 4918, sections 9.1 and 13).
struct Multistatus: Hashable {
    /// What the server says of one thing.
    struct Entry: Hashable {
        /// As it stood there: an absolute path or address, percent-encoded.
        var href: [UInt8] = []
        var isCollection = false
        var size: Int64?
        var modified: Timestamp?
        /// As ownCloud and Nextcloud have it: `SHA1:HEX MD5:HEX ADLER32:HEX`.
        var checksums: String?
        /// Of the whole response, where it has one; 0: none.
        var status = 0

        /// The names of its path from the top, decoded.
        var names: [[UInt8]] {
            var path = href[...]
            if let scheme = path.firstRange(of: Array("://".utf8)) {
                path = path[scheme.upperBound...].drop { $0 != RemotePath.slash }
            }
            return path.split(separator: RemotePath.slash).map { PercentEncoding.decode($0) }
        }
    }

    private(set) var entries: [Entry] = []

    static let space = "DAV:"
    static let ownCloud = "http://owncloud.org/ns"

    init(_ bytes: [UInt8]) throws(XMLReader.Mistake) {
        var reader = XMLReader(bytes)
        var parser = MultistatusParser()
        while let event = try reader.next() {
            switch event {
            case .start(let name): try parser.begin(name)
            case .text(let bytes): parser.add(bytes)
            case .end: parser.end()
            }
        }
        entries = parser.entries
    }
}

/// Puts the elements of a multistatus together: properties count only where their `propstat` says 200.
private struct MultistatusParser {
    private(set) var entries: [Multistatus.Entry] = []
    private var path: [String] = []
    private var text: [UInt8] = []
    private var entry = Multistatus.Entry()
    /// What the `propstat` that is being read says, until its status is known.
    private var found = Multistatus.Entry()
    private var status = 0

    mutating func begin(_ name: XMLReader.Name) throws(XMLReader.Mistake) {
        let isKnown = name.space == Multistatus.space || name.space == Multistatus.ownCloud
        path.append(isKnown ? name.local : "?")
        text = []
        if path.count == 1, path != ["multistatus"] { throw XMLReader.Mistake("it is no multistatus") }
        if path == ["multistatus", "response"] { entry = Multistatus.Entry() }
        if path == ["multistatus", "response", "propstat"] {
            found = Multistatus.Entry()
            status = 0
        }
        if path.suffix(2) == ["resourcetype", "collection"] { found.isCollection = true }
    }

    mutating func add(_ bytes: [UInt8]) { text += bytes }

    mutating func end() {
        let line = String(decoding: text, as: UTF8.self).trimmingBlanks()
        switch path.dropFirst().joined(separator: "/") {
        case "response/href": entry.href = Array(line.utf8)
        case "response/status": entry.status = Self.status(line)
        case "response/propstat/status": status = Self.status(line)
        case "response/propstat/prop/getcontentlength": found.size = Int64(line).flatMap { $0 < 0 ? nil : $0 }
        case "response/propstat/prop/getlastmodified": found.modified = HTTPDate.parse(line)
        case "response/propstat/prop/checksums/checksum": found.checksums = line
        case "response/propstat" where (200...299).contains(status): take()
        case "response" where !entry.href.isEmpty: entries.append(entry)
        case _: break
        }
        path.removeLast()
        text = []
    }

    private mutating func take() {
        entry.isCollection = entry.isCollection || found.isCollection
        entry.size = found.size ?? entry.size
        entry.modified = found.modified ?? entry.modified
        entry.checksums = found.checksums ?? entry.checksums
    }

    /// Of a line such as `HTTP/1.1 200 OK`; 0 for anything else.
    private static func status(_ line: String) -> Int {
        let words = line.split(separator: " ")
        return words.count > 1 && words[0].hasPrefix("HTTP/") ? Int(words[1]) ?? 0 : 0
    }
}
