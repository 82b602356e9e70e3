/// What a job is to do, as it was asked for; never changes. Stored as JSON in the job table.
///
/// How it is done (lanes, TLS, verification) comes from the configuration at the time of each attempt. What it holds lies
/// apart, since jobs are handed on much more often than their descriptions are read.
public indirect enum JobDescription: Hashable, Codable, Sendable {
    case upload(UploadDescription)
    case form(FormDescription)
    case download(DownloadDescription)
    case remote(RemoteDescription)

    public var kind: JobKind {
        switch self {
        case .upload: .upload
        case .form: .form
        case .download: .download
        case .remote: .remote
        }
    }

    /// The files that the job reads.
    public var sources: [SourceFile] {
        switch self {
        case .upload(let upload): [upload.source]
        case .form(let form): form.parts.compactMap(\.file)
        case .download, .remote: []
        }
    }

    /// Whether a route that fetches looks into its directory.
    public var isPoll: Bool {
        switch self {
        case .upload, .form, .download: false
        case .remote(let remote): remote.operation == .poll
        }
    }

    /// Whether somebody waits for the answer, so that the first failure is the end.
    public var isWaitedFor: Bool {
        switch self {
        case .upload, .form, .download: false
        case .remote(let remote): !remote.isQueued
        }
    }
}

/// One file to a file server; the job's `url` is the address of the file, not of its directory.
public struct UploadDescription: Hashable, Codable, Sendable {
    public var source: SourceFile
    /// How this one is put into place, where its route or origin is not to say so.
    public var delivery: DeliveryWishes?
    /// Of a web server: how its requests are made, where its route or origin is not to say so.
    public var request: RequestWishes?

    public init(source: SourceFile, delivery: DeliveryWishes? = nil, request: RequestWishes? = nil) {
        self.source = source
        self.delivery = delivery
        self.request = request
    }
}

/// A multipart/form-data POST to the job's `url`: parts in order, names may repeat.
public struct FormDescription: Hashable, Codable, Sendable {
    public var parts: [FormPart]
    public var headers: [HeaderField]
    /// What an outcome that nobody can know means; nil: as the route or the default says.
    public var unknownOutcome: UnknownOutcome?
    /// Whether texts, file names, values of headers and the address are templates (``NameTemplate``); nil: no.
    public var hasTemplates: Bool?
    /// How its request is made and which answers are good, where its route or origin is not to say so.
    public var request: RequestWishes?

    public init(
        parts: [FormPart], headers: [HeaderField] = [], unknownOutcome: UnknownOutcome? = nil,
        hasTemplates: Bool = false, request: RequestWishes? = nil
    ) {
        self.parts = parts
        self.headers = headers
        self.unknownOutcome = unknownOutcome
        self.hasTemplates = hasTemplates ? true : nil
        self.request = request
    }
}

/// A header field of a request, checked: a token and a value without control bytes (RFC 9110, section 5).
public struct HeaderField: Hashable, Codable, Sendable {
    public let name: String
    public let value: String

    /// Reads `Name: value`; nil when it is none, or when transferd sets that field itself: what says how long a message
    /// is, where it ends, whom it is for and how the connection goes on would make another message of it.
    public init?(_ line: String) { self.init(line, except: Self.reserved) }

    /// Reads a field of the head of a form's part, where transferd sets other fields itself.
    public init?(ofPart line: String) { self.init(line, except: Self.reservedInParts) }

    private init?(_ line: String, except reserved: Set<String>) {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let name = String(line[..<colon])
        let value = String(line[line.index(after: colon)...]).trimmingBlanks()
        guard Self.isToken(name), !value.utf8.contains(where: EscapedText.isControl) else { return nil }
        guard !reserved.contains(name.lowercased()) else { return nil }
        self.name = name
        self.value = value
    }

    public static let reserved: Set<String> = [
        "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "te", "trailer",
        "connection", "proxy-connection", "keep-alive", "upgrade", "expect", "accept-encoding", "range",
        "proxy-authorization",
    ]

    public static let reservedInParts: Set<String> = [
        "content-disposition", "content-type", "content-length",
    ]

    /// Whether `text` is a token (RFC 9110, section 5.6.2).
    static func isToken(_ text: String) -> Bool {
        let symbols = Set("!#$%&'*+-.^_`|~".utf8)
        return !text.isEmpty
            && text.utf8.allSatisfy { byte in
                symbols.contains(byte) || (0x30...0x39).contains(byte)
                    || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
            }
    }
}

extension String {
    /// The text without blanks and tabs at both ends.
    public func trimmingBlanks() -> String {
        let isText: (UInt8) -> Bool = { $0 != 0x20 && $0 != 0x09 }
        guard let first = utf8.firstIndex(where: isText), let last = utf8.lastIndex(where: isText) else {
            return ""
        }
        return String(self[first..<utf8.index(after: last)])
    }
}

/// What becomes of a form whose body was handed over whole and whose answer never came.
public enum UnknownOutcome: String, CaseIterable, Codable, Sendable {
    /// Sent again, with the same idempotency key.
    case retry
    /// Held until a person says `retry ID`.
    case hold
}
