internal import TransferModel

/// What the placeholders of a template stand for in one job with one file, as bytes.
struct TemplateValues {
    let job: Job
    /// Of a form: the file's name alone.
    let final: RemotePath
    var temporary: RemotePath?
    var size: Int64 = 0
    /// Nanoseconds since 1970.
    var modified: Int64 = 0
    /// Lower case hexadecimal.
    var sha256: String?
    /// Of the job, where the name is to be another one in each (``Checkpoint/life``).
    var life: Int?
    /// How long a name may be, where it has to be cut.
    var longestName = Int.max

    func bytes(_ placeholder: NameTemplate.Placeholder, _ format: TimeFormat?) -> [UInt8] {
        switch placeholder {
        case .name: Self.cut(name, to: longestName)
        case .stem: Self.cut(NameParts(name).stem, to: longestName)
        case .ext: NameParts(name).ext
        case .path: final.bytes
        case .directory: final.parent.bytes
        case .temporary: (temporary ?? final).bytes
        case .id: Array("\(job.id)\(life.map { "-\($0)" } ?? "")".utf8)
        case .key: key
        case .route: Array((job.route ?? "").utf8)
        case .size: Array("\(size)".utf8)
        case .sha256: Array((sha256 ?? "").utf8)
        case .mtime:
            format.map { LocalTime(seconds: seconds).bytes($0) } ?? Array("\(seconds)".utf8)
        case .date:
            LocalTime(seconds: job.createdAt.seconds).bytes(format ?? .day)
        }
    }

    /// Rounded down, before 1970 too.
    private var seconds: Int64 {
        let (quotient, rest) = modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? quotient - 1 : quotient
    }

    private var name: [UInt8] { final.names.last ?? [] }

    /// Its letters and digits alone, eight of them: it becomes part of names.
    private var key: [UInt8] {
        let isPlain: (UInt8) -> Bool = { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        }
        return Array(job.idempotencyKey.utf8.filter(isPlain).prefix(8))
    }

    /// At most `length` bytes, not cut in the middle of a UTF-8 scalar: servers that check names would refuse it.
    static func cut(_ name: [UInt8], to length: Int) -> [UInt8] {
        guard name.count > length else { return name }
        var kept = name.prefix(max(0, length))
        while let last = kept.last, last & 0xc0 == 0x80 { kept.removeLast() }
        if let last = kept.last, last >= 0xc0 { kept.removeLast() }
        return Array(kept)
    }
}

extension Timestamp {
    /// Rounded down, before 1970 too.
    fileprivate var seconds: Int64 { (rawValue - (rawValue % 1000 + 1000) % 1000) / 1000 }
}
