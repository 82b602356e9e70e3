internal import CCurl
internal import TransferModel

/// One libcurl transfer, as a worker wants it. What every request to the origin needs (timeouts, TLS, login, allowed
/// protocols) is set by the lane.
struct Request {
    /// Percent-encoded, without login.
    var url: String
    /// FTP: commands sent before the transfer, as raw bytes; a leading `*` ignores a refusal.
    var commands: [[UInt8]] = []
    /// FTP: commands sent when the data connection is ready, right before STOR or RETR.
    var commandsBeforeData: [[UInt8]] = []
    /// HTTP: header lines, `Name: value`.
    var headers: [String] = []
    /// What libcurl sends.
    var body: (any BodySource)?
    /// HTTP: the whole body in one piece, which goes out in the same packets as the head, and then not through ``body``.
    var piece: [UInt8]?
    /// HTTP: called, inside libcurl, when the connection stands and the request is about to be sent. False ends the
    /// transfer: libcurl repeats a request by itself when a kept connection resets, even where the server has had it.
    var onAsk: (() -> Bool)?
    /// Where received content goes; nil: dropped.
    var sink: (any BodySink)?
    /// FTP: whether ``sink`` takes a list, byte for byte as it came, at whatever rate: libcurl makes a line end of each CR in it.
    var takesList = false
    /// Every line of the header or of the control connection, with its line end; false ends the transfer, which the
    /// answer shows as ``Answer/wasRefused``. Called inside libcurl, on the lane.
    var onLine: ((UnsafeRawBufferPointer) -> Bool)?
    /// FTP: called after each whole reply with all of them; false ends the transfer in the same way.
    var onReply: ((ReplyLog) -> Bool)?
    /// Whether the request may be sent once more on a new connection when a kept one turns out to be dead before
    /// anything was answered and before a byte of the body was taken.
    var mayRepeat = true
    /// Watches the TLS handshakes.
    var observer: TLSObserver?
    /// Whether the connection goes on without libcurl when the request is done: see ``Answer/socket``.
    var keepsSocket = false
    /// FTP: commands and their replies are all that it is about.
    var isDialogue = false
    /// What has to be recorded before anything is sent, or before the last so many commands of a dialogue are.
    var licence: Licence?
    var licensed = 0
    /// Whether the first two commands of a dialogue go together: the server is known to take them so.
    var sendsTwo = false
    /// FTP: libcurl sends TYPE I for it, unless it has, and no other type before the next transfer.
    var leavesImageType = false
    /// When the lane reads the body that comes itself; nil: never.
    var reading: ReadingTerms?
    /// Bounds the whole transfer; nil: only silence is bounded.
    var timeout: Duration?
    /// How long the server may be silent, where that is longer than the origin's stall timeout: it may have to compute.
    var patience = Duration.zero
    /// HTTP: bytes of the body; nil: none is sent, or nobody waits for an answer to it in particular.
    var bodyLength: Int64?
    /// HTTP: how long the answer may take when the whole body was handed over; nil: as long as any silence.
    var answerTimeout: Duration?
    private(set) var settings: [CurlSetting] = []

    init(url: String) { self.url = url }

    /// Whether a body goes either way.
    var movesData: Bool { body != nil || sink != nil }

    /// The shortest time after which the server's silence is looked at.
    func firstLook(_ stall: Duration) -> Duration {
        min(max(stall, patience), answerTimeout ?? .seconds(86_400)) / 2
    }

    /// Set after the lane's own options, in order.
    mutating func set<Value: CurlValue>(_ option: CurlOption<Value>, _ value: Value) {
        settings.append(CurlSetting(option, value))
    }
}

/// Gives libcurl the bytes to send; called on the lane, inside libcurl, and never blocks.
protocol BodySource: AnyObject {
    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer
}

/// A body that is filled from elsewhere while it is sent.
protocol StreamedBody: BodySource {
    /// Has `action` called, from any queue, whenever there is something again after ``ReadAnswer/wait``.
    func onContent(_ action: @escaping @Sendable () -> Void)
}

enum ReadAnswer {
    case bytes(Int)
    case end
    /// Nothing yet: whoever has more calls ``Lane/resume()``.
    case wait
    case fail(Failure)
}

/// Takes the bytes that libcurl received; called on the lane, inside libcurl, and never blocks.
protocol BodySink: AnyObject {
    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer
    /// Whether the next byte would be answered with ``WriteAnswer/enough``.
    var hasEnough: Bool { get }
    /// Nothing more comes for the moment: what was put by for the sake of larger pieces goes on.
    func settle()
    /// How many bytes the body has in all, where they can be put into ``space()`` as they come over the connection; nil:
    /// they cannot, or nobody knows.
    var plainLength: Int64? { get }
    /// Where the next bytes may be put, for ``filled(_:)``; not while bytes wait that ``write(_:)`` did not take.
    func space() -> Space
    /// So many bytes at the start of the last ``space()`` have come; the answer is never ``WriteAnswer/wait``.
    func filled(_ count: Int) -> WriteAnswer
}

extension BodySink {
    var hasEnough: Bool { false }
    func settle() {}
    var plainLength: Int64? { nil }
    func space() -> Space { preconditionFailure("a body without a plain length is written") }
    func filled(_ count: Int) -> WriteAnswer {
        preconditionFailure("a body without a plain length is written")
    }
}

/// Where a body's next bytes may be put.
enum Space {
    case bytes(UnsafeMutableRawBufferPointer)
    /// Nowhere now: ``Lane/resume()`` is called when there is room.
    case wait
    /// The transfer ends; the answer shows the failure.
    case fail(Failure)
}

enum WriteAnswer {
    case taken
    /// No room for all of it: nothing was taken, and libcurl offers the same bytes again after ``Lane/resume()``.
    case wait
    /// Nothing more is wanted: the transfer ends, which is no failure.
    case enough
    /// The transfer ends; the answer shows the failure.
    case fail(Failure)
}
