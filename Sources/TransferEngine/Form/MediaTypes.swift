internal import CLinux
internal import Glibc
internal import TransferModel

/// Which media type a name's extension stands for, as the system says.
struct MediaTypes: Sendable {
    /// By extension in lower case, without its first dot: `jpg`, `tar.gz`.
    private let byExtension: [String: String]

    /// What is sent where nobody knows better (RFC 7578, section 4.4).
    static let unknown = "application/octet-stream"

    /// Of the first of these files that can be read, once: mime.types, else the list of shared-mime-info.
    static let system: MediaTypes = {
        if let text = read("/etc/mime.types") { return MediaTypes(mimeTypes: text) }
        let globs = ["/usr/local/share/mime/globs2", "/usr/share/mime/globs2"].compactMap(read)
        return MediaTypes(globs: globs.joined(separator: "\n"))
    }()

    /// Reads the form of mime.types: a type and its extensions on a line; the first line that has an extension counts.
    init(mimeTypes text: String) {
        var types: [String: String] = [:]
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }
                .split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }.map { String(Substring($0)) }
            guard let type = words.first.flatMap({ MediaType($0) }) else { continue }
            for word in words.dropFirst() where types[word.lowercased()] == nil {
                types[word.lowercased()] = type.description
            }
        }
        byExtension = types
    }

    /// Reads the form of globs2: `WEIGHT:TYPE:PATTERN` on a line, the heavier first; patterns other than `*.EXT` are
    /// passed over. Source: Shared MIME-info Database, "The glob files".
    init(globs text: String) {
        var types: [String: String] = [:]
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            guard words.count >= 3, words[2].hasPrefix("*."), let type = MediaType(words[1]) else { continue }
            let suffix = words[2].dropFirst(2).lowercased()
            guard !suffix.isEmpty, !suffix.utf8.contains(where: "*?[".utf8.contains) else { continue }
            if types[suffix] == nil { types[suffix] = type.description }
        }
        byExtension = types
    }

    /// The type of the longest known extension; ``unknown`` where there is none.
    func type(of name: [UInt8]) -> String {
        guard let text = String(validating: name, as: UTF8.self)?.lowercased() else {
            return ascii(name).map { type(of: $0) } ?? Self.unknown
        }
        // A dot at the beginning begins no extension.
        var rest = text.dropFirst()
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let type = byExtension[String(rest)] { return type }
        }
        return Self.unknown
    }

    /// What stands after the last byte of a name that is no UTF-8; nil when nothing does.
    private func ascii(_ name: [UInt8]) -> [UInt8]? {
        guard let last = name.lastIndex(where: { $0 >= 0x80 }) else { return nil }
        return [UInt8(ascii: "x")] + name[(last + 1)...]
    }

    private static func read(_ path: String) -> String? {
        let descriptor = transferd_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0, let place = FilePath(path) else { return nil }
        let file = OpenFile(descriptor: descriptor, path: place)
        guard let size = try? file.identity().size, let bytes = try? file.read(0..<size.rawValue) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
