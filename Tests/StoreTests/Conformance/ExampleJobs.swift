import TransferModel

/// Values that the tests build on; each differs from the default where it matters.
enum Example {
    static let now = Timestamp(rawValue: 1_760_000_000_000)

    static func url(_ text: String = "ftp://user@files.example:2121/in/a%20b") throws -> TransferURL {
        try TransferURL(text)
    }

    static func file(_ root: SourceFile.Root = .spool, _ name: String = "a b") throws -> SourceFile {
        let name = try unwrap(FileName(name))
        return SourceFile(root: root, path: FilePath(name), name: name)
    }

    /// An upload from the spool, due at once, to an address of its own.
    static func upload(
        to url: String? = nil, key: String, root: SourceFile.Root = .spool,
        priority: Int = 0, notBefore: Timestamp? = nil, expiresAt: Timestamp = now + .seconds(86_400),
        route: String? = "lab"
    ) throws -> NewJob {
        NewJob(
            route: route, url: try Self.url(url ?? "ftp://user@files.example:2121/in/\(key)"),
            description: .upload(UploadDescription(source: try file(root, key))), priority: priority,
            idempotencyKey: key, notBefore: notBefore, expiresAt: expiresAt, createdAt: now,
            limit: ByteCount(1_000))
    }

    static func form(key: String, policy: UnknownOutcome? = nil) throws -> NewJob {
        let parts = [
            FormPart(name: "f[]", content: .text("@no \"file\"\r\n\0")),
            FormPart(
                name: "f[]", content: .file(try file(.intake), type: "text/plain", filename: FileName("ü"))),
        ]
        let headers = [HeaderField("X-Test: 1")].compactMap { $0 }
        return NewJob(
            url: try url("https://web.example/form?a=b"),
            description: .form(FormDescription(parts: parts, headers: headers, unknownOutcome: policy)),
            label: "a label", idempotencyKey: key, expiresAt: now + .seconds(86_400), createdAt: now)
    }

    static func download(key: String) throws -> NewJob {
        let odd = try unwrap(FilePath(bytes: [0xff, 0x2f, 0x0a, 0x5c]))
        return NewJob(
            url: try url("http://web.example/x"),
            description: .download(
                DownloadDescription(
                    directory: try unwrap(FilePath("/srv/down")), target: odd,
                    checksums: [Checksum(algorithm: .sha256, hexadecimal: String(repeating: "ab", count: 32))]
                )),
            priority: -3, idempotencyKey: key, notBefore: now + .seconds(60),
            expiresAt: now + .seconds(86_400), createdAt: now)
    }

    static func remote(key: String) throws -> NewJob {
        let commands = ["SITE HELP", "FEAT"].compactMap { RemoteCommand(bytes: Array($0.utf8)) }
        return NewJob(
            url: try url("sftp://files.example/x"),
            description: .remote(RemoteDescription(.quote(commands), isQueued: true)), priority: 7,
            idempotencyKey: key, expiresAt: now + .seconds(60), createdAt: now)
    }

    static func ending(
        _ state: JobState, failure: Failure? = nil, attempts: Int = 0, offset: Int = 0,
        stage: Stage = .sending,
        reply: Reply? = nil
    ) -> Ending {
        Ending(
            state: state, failure: failure, attempts: attempts, start: .zero, offset: ByteCount(offset),
            limit: ByteCount(1_000), stage: stage, reply: reply)
    }

    static func unwrap<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing() }
        return value
    }

    struct Missing: Error {}
}

extension JobStore {
    @discardableResult
    func commit(_ changes: JobChange..., at now: Timestamp = Example.now) throws -> Committed {
        try commit(Turn(changes: changes), at: now)
    }

    func admit(_ new: NewJob) throws -> JobID {
        try Example.unwrap(try commit(.admitted(new)).admitted.first)
    }

    func claim(_ origin: Origin, _ count: Int = 1, at now: Timestamp = Example.now) throws -> [Job] {
        try commit(Turn(claims: [Turn.Claim(origin: origin, count: count)]), at: now).claimed
    }

    /// Admits a job and claims it.
    func admitRunning(_ new: NewJob) throws -> JobID {
        let id = try admit(new)
        _ = try claim(new.url.origin, at: max(Example.now, new.notBefore ?? Example.now))
        return id
    }

    func found(_ id: JobID) throws -> Job { try Example.unwrap(try job(id)) }
}
