/// Section `[route NAME]`: where files dropped in `spool/NAME` go, and how.
public struct RouteSettings: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Codable, Sendable {
        case upload, form
        /// Files come from there, see ``PollSettings``.
        case fetch
    }

    /// What becomes of the source when it has arrived: here, or of one that was fetched, at its server.
    public enum After: String, CaseIterable, Codable, Sendable {
        case delete
        /// Moved into `spool/NAME/sent`.
        case archive
        /// Fetch: it stays where it is.
        case leave
        /// Fetch: moved to ``PollSettings/moveTo``.
        case move

        /// Those that a route of the kind may say, its default first.
        public static func permitted(in kind: Kind) -> [After] {
            switch kind {
            case .upload, .form: [.delete, .archive]
            case .fetch: [.leave, .delete, .move]
            }
        }
    }

    public var name: String
    public var kind: Kind
    /// Upload: a directory, or a file's address; form: the form's address; fetch: a directory.
    public var url: TransferURL
    public var after: After = .delete
    /// Quiet time after the last close or write before a file is taken.
    public var settle: Duration = .seconds(1)
    /// nil: as the origin says; `require` holds for every job to the route's origin.
    public var tls: TLSPolicy?
    /// Connections to the route's origin; nil: as the origin says.
    public var lanes: Int?
    /// Upload: how files are put into place, where the origin is not to say so.
    public var delivery = DeliveryWishes()
    /// Form: text fields before the file, `NAME=VALUE`, in order. Their values, the file's name, the values of headers
    /// and the path of the address are templates (``NameTemplate``).
    public var fields: [FormField] = []
    /// Form: the name of the part that holds the file.
    public var fileField = "file"
    /// Form: what the file is called; nil: as it was dropped.
    public var filename: FileName?
    /// Form: the file's media type; nil: guessed from its name.
    public var fileType: MediaType?
    /// Form: whether the file's name is told as `filename*` too.
    public var hasEncodedFilename = false
    /// How requests to a web server are made and which answers are good, where the origin is not to say so.
    public var request = RequestWishes()
    /// How downloads are fetched, where the origin is not to say so.
    public var fetch = FetchWishes()

    /// Fetch: what is looked for, and how often.
    public var poll = PollSettings()

    public init(name: String, kind: Kind, url: TransferURL) {
        self.name = name
        self.kind = kind
        self.url = url
    }

    public struct FormField: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The directory of the route below the spool.
    public func directory(in places: Places) -> FilePath {
        FilePath(name).map(places.spool.appending) ?? places.spool
    }

    /// The job for a file that was dropped into the route.
    public func job(
        for source: SourceFile, size: ByteCount, key: String, now: Timestamp, expires: Duration
    ) -> NewJob {
        let description: JobDescription
        let target: TransferURL
        switch kind {
        case .upload:
            target = url.isDirectory ? url.appending(source.name) : url
            description = .upload(UploadDescription(source: source))
        case .fetch: preconditionFailure("nothing is dropped into a route that fetches")
        case .form:
            target = url
            // What else the route says is looked up at each attempt: a secret in a header never reaches the table.
            description = .form(form(of: source))
        }
        return NewJob(
            route: name, url: target, description: description, idempotencyKey: key, expiresAt: now + expires,
            createdAt: now, limit: kind == .upload ? size : nil)
    }

    private func form(of source: SourceFile) -> FormDescription {
        let texts = fields.map { FormPart(name: $0.name, content: .text($0.value)) }
        let file = FormPart(
            name: fileField, content: .file(source, type: fileType?.description, filename: filename),
            hasEncodedFilename: hasEncodedFilename)
        return FormDescription(
            parts: texts + [file],
            hasTemplates: templates.contains { $0.utf8.contains { $0 == 0x7b || $0 == 0x7d } })
    }

    /// Every text that may have placeholders in it.
    public var templates: [String] {
        fields.map(\.value) + (request.headers ?? []).map(\.value) + [url.path]
            + (filename.map { [String(decoding: $0.bytes, as: UTF8.self)] } ?? [])
    }
}
