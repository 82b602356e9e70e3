internal import TransferModel

/// The head of the last answer of an HTTP request: its status line and its fields, as the lines came in.
///
/// Interim answers (1xx) and the heads before them are forgotten when the next status line comes; trailers are not
/// looked at. Source: RFC 9112, sections 4 and 5.
struct HTTPHead: Sendable {
    struct Field: Hashable, Sendable {
        /// In lower case.
        let name: String
        /// Without blanks at both ends; bytes that are no UTF-8 are replaced.
        let value: String
    }

    /// 0 while no status line came.
    private(set) var status = 0
    /// The server's words behind the status; may be empty.
    private(set) var reason = ""
    private(set) var fields: [Field] = []
    /// Whether the empty line behind a final answer's fields came.
    private(set) var isComplete = false
    /// Whether the server sent more fields than a head may have; it is not to be believed then.
    private(set) var isTooLong = false
    /// The lines as they came, up to ``longestKept`` bytes of whole ones.
    private(set) var lines: [UInt8] = []
    private var size = 0

    /// What is kept of the lines, in bytes.
    static let longestKept = 65_536

    /// More bytes than any honest head has.
    static let longest = 256 * 1024

    /// Takes one line with its line end.
    mutating func take(_ line: some Sequence<UInt8>) {
        let bytes = Array(line)
        let end = bytes.lastIndex { $0 != 0x0d && $0 != 0x0a }.map { $0 + 1 } ?? 0
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        defer { keep(bytes) }
        if text.hasPrefix("HTTP/") {
            begin(text)
        } else if text.isEmpty {
            isComplete = status >= 200
        } else if !isComplete {
            add(text, size: bytes.count)
        }
    }

    private mutating func keep(_ line: [UInt8]) {
        if lines.count + line.count <= Self.longestKept { lines += line }
    }

    private mutating func begin(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
        self = HTTPHead()
        status = words.count > 1 ? Int(words[1]) ?? 0 : 0
        reason = words.count > 2 ? String(words[2]) : ""
    }

    private mutating func add(_ line: String, size added: Int) {
        size += added
        guard size <= Self.longest else {
            isTooLong = true
            return
        }
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = String(line[line.index(after: colon)...]).trimmingBlanks()
        fields.append(Field(name: line[..<colon].lowercased(), value: value))
    }

    /// Every value of a field, in the order of arrival.
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The value of a field that may come once; nil when it is missing.
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The status and the server's words, for a sentence.
    var answer: String {
        let words = EscapedText.escape(reason.utf8.prefix(200))
        return words.isEmpty ? "\(status)" : "\(status) \(words)"
    }
}
