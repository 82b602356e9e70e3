internal import TransferModel

/// Pieces of plain descriptions.
extension SourceFile {
    private static let head = #"{"name":""#
    private static let place = #"","path":""#
    private static let rootHead = #"","root":{"#
    private static let tail = "}}"
    private static let spool = #""spool":{}"#
    private static let intake = #""intake":{}"#
    private static let inPlace = #""inPlace":{"_0":""#
    private static let inPlaceEnd = #""}"#

    /// nil when a text needs an escape.
    var plainJSON: String? {
        guard let name = JSONText.plain(name.bytes), let path = JSONText.plain(path.bytes) else { return nil }
        let start = Self.head + name + Self.place + path + Self.rootHead
        switch root {
        case .spool: return start + Self.spool + Self.tail
        case .intake: return start + Self.intake + Self.tail
        case .inPlace(let directory):
            guard let directory = JSONText.plain(directory.bytes) else { return nil }
            return start + Self.inPlace + directory + Self.inPlaceEnd + Self.tail
        }
    }

    init?(plain rest: inout ArraySlice<UInt8>) {
        guard rest.take(Self.head), let name = rest.takeText(), rest.take(Self.place),
            let path = rest.takeText(), rest.take(Self.rootHead), let root = Self.takeRoot(&rest),
            rest.take(Self.tail), let name = FileName(bytes: name), let path = FilePath(bytes: path)
        else { return nil }
        self.init(root: root, path: path, name: name)
    }

    private static func takeRoot(_ rest: inout ArraySlice<UInt8>) -> Root? {
        if rest.take(spool) { return .spool }
        if rest.take(intake) { return .intake }
        guard rest.take(inPlace), let directory = rest.takeText(), rest.take(inPlaceEnd) else { return nil }
        return FilePath(bytes: directory).map { .inPlace($0) }
    }
}

extension FormPart {
    private static let file = #"{"content":{"file":{"_0":"#
    private static let fileEnd = #"}},"name":""#
    private static let text = #"{"content":{"text":{"_0":""#
    private static let textEnd = #""}},"name":""#
    private static let tail = #""}"#

    /// nil for a part of which more is said than its name and what it is.
    var plainJSON: String? {
        guard headers == nil, hasEncodedFilename == nil, let name = JSONText.plain(Array(name.utf8)) else {
            return nil
        }
        switch content {
        case .text(let text, nil):
            return JSONText.plain(Array(text.utf8)).map { Self.text + $0 + Self.textEnd + name + Self.tail }
        case .file(let file, nil, nil):
            return file.plainJSON.map { Self.file + $0 + Self.fileEnd + name + Self.tail }
        case .text, .file: return nil
        }
    }

    init?(plain rest: inout ArraySlice<UInt8>) {
        let content: Content
        if rest.take(Self.file) {
            guard let file = SourceFile(plain: &rest), rest.take(Self.fileEnd) else { return nil }
            content = .file(file)
        } else {
            guard rest.take(Self.text), let text = rest.takeText(), rest.take(Self.textEnd) else {
                return nil
            }
            content = .text(String(decoding: text, as: UTF8.self))
        }
        guard let name = rest.takeText(), rest.take(Self.tail) else { return nil }
        self.init(name: String(decoding: name, as: UTF8.self), content: content)
    }
}

extension ArraySlice<UInt8> {
    /// Whether it began with `text`, which is gone then.
    mutating func take(_ text: String) -> Bool {
        guard starts(with: text.utf8) else { return false }
        self = dropFirst(text.utf8.count)
        return true
    }

    /// What stands before the next quotation mark; nil when anything in it has been escaped or is not ASCII.
    mutating func takeText() -> [UInt8]? {
        guard
            let end = firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 >= 0x7f }
            ),
            self[end] == UInt8(ascii: "\"")
        else { return nil }
        defer { self = self[end...] }
        return Array(self[..<end])
    }
}
