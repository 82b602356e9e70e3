internal import TransferModel

/// Where an upload goes at its server: the final path, and the temporary one beside it, which carries the job's number.
///
/// Paths are bytes, relative to the login's directory unless the address has an empty first segment or begins with
/// `%2F` (RFC 1738, section 3.2.2).
struct RemoteTarget {
    let origin: Origin
    let isAbsolute: Bool
    let directories: [[UInt8]]
    let name: FileName
    let temporary: FileName

    private static let slash = UInt8(ascii: "/")

    /// Throws a permanent failure for an address that can't be the path of one file.
    init(_ job: Job) throws(Failure) {
        var segments = job.url.segments
        var isAbsolute = false
        if let first = segments.first, first.isEmpty || first.first == Self.slash,
            segments.count > 1 || !first.isEmpty
        {
            isAbsolute = true
            segments[0] = Array(first.drop { $0 == Self.slash })
        }
        if let last = segments.last, last.isEmpty {
            throw Failure(.permanent, text: "\(job.url) names a directory, not a file")
        }
        let kept = segments.filter { !$0.isEmpty }
        for segment in kept { try Self.check(segment, job.url) }
        guard let name = kept.last.flatMap({ FileName(bytes: $0) }) else {
            throw Failure(.permanent, text: "\(job.url) names no file")
        }
        self.isAbsolute = isAbsolute
        self.name = name
        origin = job.url.origin
        directories = kept.dropLast()
        temporary = Self.temporary(for: name, job)
    }

    private static func check(_ segment: [UInt8], _ url: TransferURL) throws(Failure) {
        if segment.contains(where: EscapedText.isControl) {
            throw Failure(
                .permanent, text: "\(url) has a control byte in its path; no server is told such a name")
        }
        if segment == [0x2e, 0x2e] || segment == [0x2e] || segment.contains(slash) {
            throw Failure(
                .permanent, text: "\(url) has '.', '..' or an encoded '/' as or in a name of its path")
        }
    }

    /// `.NAME.ID.KEY.part`, cut to 255 bytes. KEY is the start of the job's key: another machine that sends to the same
    /// directory counts its jobs from 1 too.
    private static func temporary(for name: FileName, _ job: Job) -> FileName {
        let isPlain: (UInt8) -> Bool = { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        }
        let key = job.idempotencyKey.utf8.filter(isPlain).prefix(8)
        let tail = Array(".\(job.id)".utf8) + (key.isEmpty ? [] : [0x2e] + key) + Array(".part".utf8)
        var kept = name.bytes.prefix(255 - 1 - tail.count)
        if kept.count < name.bytes.count {
            // Not in the middle of a UTF-8 scalar: servers that check names would refuse it.
            while let last = kept.last, last & 0xc0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last >= 0xc0 { kept.removeLast() }
        }
        guard let temporary = FileName(bytes: [0x2e] + kept + tail) else {
            preconditionFailure("a name without slashes, made from a name, is a name")
        }
        return temporary
    }

    /// The path as commands name it.
    func path(of name: FileName) -> [UInt8] { prefix(directories.count) + name.bytes }

    /// The directories above the file, from the top.
    var parents: [[UInt8]] { directories.indices.map { Array(prefix($0 + 1).dropLast()) } }

    private func prefix(_ count: Int) -> [UInt8] {
        anchor + directories.prefix(count).flatMap { $0 + [Self.slash] }
    }

    /// What stands before the first name: some servers make a home directory of a `~` at the start of a path.
    private var anchor: [UInt8] {
        if isAbsolute { return [Self.slash] }
        let first = directories.first ?? name.bytes
        return first.first == UInt8(ascii: "~") ? [0x2e, Self.slash] : []
    }

    /// The address of a file in the target's directory, each segment encoded once.
    func url(of name: FileName) -> String {
        let segments = (directories + [name.bytes]).map { PercentEncoding.encode($0) }
        return root + String(decoding: anchor, as: UTF8.self) + segments.joined(separator: "/")
    }

    /// The address of the server alone, with a slash: no file is meant.
    var root: String {
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        return "\(origin.scheme.rawValue)://\(host):\(origin.port)/"
    }

    func command(_ verb: String, _ name: FileName) -> [UInt8] { Array("\(verb) ".utf8) + path(of: name) }
}
