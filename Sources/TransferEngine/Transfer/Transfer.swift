internal import CCurl
internal import TransferModel

/// One request while libcurl works on it: what the callbacks read and write. Lives on the lane's queue.
final class Transfer {
    let request: Request
    var answer = Answer()
    /// What a side waits for; libcurl has been told to leave that direction alone.
    private(set) var isPaused = false
    /// When a byte or a line last moved, on the alarms' clock.
    private(set) var lastMove = LaneAlarms.now
    /// HTTP: a final answer has begun.
    private var isAnswered = false
    /// The last move before a silence that was told.
    private var toldSilence: UInt64?
    /// What the sink of a list said to what came last.
    private var rawAnswer = WriteAnswer.taken
    let commands: CurlList?
    let commandsBeforeData: CurlList?
    let headers: CurlList?
    let scheme: Scheme
    private let control: LaneControl
    /// Whether nothing is sent on the data connection before the server has said that it waits for it.
    private let holdsGreeting: Bool
    /// Sockets that the lane had opened when the transfer began, and when the first line came.
    private let socketsBefore: Int
    private let hadConnection: Bool
    private var socketsAtFirstLine: Int?
    private(set) var isOver = false
    /// Called when it is over, if it is not yet.
    var onEnd: (() -> Void)?

    init(_ request: Request, scheme: Scheme, control: LaneControl, holdsGreeting: Bool) {
        self.request = request
        self.holdsGreeting = holdsGreeting
        self.scheme = scheme
        self.control = control
        socketsBefore = control.opened
        hadConnection = control.isConnected
        commands = request.commands.isEmpty ? nil : CurlList(request.commands)
        commandsBeforeData =
            request.commandsBeforeData.isEmpty ? nil : CurlList(request.commandsBeforeData)
        headers = request.headers.isEmpty ? nil : CurlList(request.headers.map { Array($0.utf8) })
    }

    /// Whether replies may come that libcurl does not wait for: a body is to move, and the data connection has not begun.
    var mayBeForgotten: Bool { isFTP && request.movesData && !hasOpenedData }
    private var hasOpenedData = false

    var isFTP: Bool { scheme == .ftp || scheme == .ftps }

    /// `milestones`: what libcurl came through.
    func end(_ milestones: Step.Milestones = Step.Milestones()) {
        // CURLINFO_NUM_CONNECTS counts FTP's data connections too, and no connection that failed. Those for data are
        // opened after a reply, so what is opened before the first line is the connection itself.
        noteFreshness()
        answer.silence = .nanoseconds(Int64(clamping: LaneAlarms.now - lastMove))
        answer.step = step(milestones)
        isOver = true
        onEnd?()
    }

    private func noteFreshness() {
        let hasOpened = (socketsAtFirstLine ?? control.opened) > socketsBefore
        answer.isFresh = hasOpened || !hadConnection || answer.isUnresolved
        if !answer.isFresh { answer.isLoggedIn = true }
    }

    /// How far it is.
    func step(_ milestones: Step.Milestones) -> Step {
        noteFreshness()
        let milestones = answer.isFresh ? milestones : Step.Milestones()
        let sends = request.body != nil
        return isFTP
            ? Step(ftp: answer, milestones, isImplicitTLS: scheme == .ftps, sends: sends)
            : Step(http: answer, milestones, isTLS: scheme == .https, sends: sends)
    }

    /// How long the server may be silent now, of whose answer `uploaded` bytes of the body have been sent.
    func longestSilence(_ stall: Duration, uploaded: Int64) -> Duration {
        guard let timeout = request.answerTimeout, !isAnswered, uploaded >= request.bodyLength ?? 0 else {
            return max(stall, request.patience)
        }
        return timeout
    }

    /// Whether the silence that goes on now was not told yet; it counts as told from here on.
    func saysSilence() -> Bool {
        guard toldSilence != lastMove else { return false }
        toldSilence = lastMove
        return true
    }

    /// Time in which a side waited for this machine does not count as silence of the server.
    func resumed() {
        isPaused = false
        lastMove = LaneAlarms.now
    }

    /// It waits for this machine.
    func pause() { isPaused = true }

    /// Bytes of the body went to the connection without libcurl.
    func handedOver(_ count: Int) {
        answer.uploaded += Int64(count)
        lastMove = LaneAlarms.now
    }

    /// Bytes of the body came without libcurl.
    func received(_ count: Int) {
        answer.received += Int64(count)
        lastMove = LaneAlarms.now
    }

    private var pace = Pace()

    /// Whether the last piece of the body was quick.
    func comesQuickly(by terms: ReadingTerms) -> Bool {
        pace.isQuick(answer.received, now: LaneAlarms.now, by: terms)
    }

    // MARK: Called by libcurl

    func ask() -> Bool {
        guard request.onAsk?() ?? true else {
            answer.bodyFailure = Failure(
                .temporary, text: "the connection broke before an answer came, and nothing is sent twice")
            return false
        }
        answer.sent += Int64(request.piece?.count ?? 0)
        return true
    }

    func read(into space: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = request.body else { return 0 }
        if !isFTP, answer.sent == 0 { control.keepWords(true) }
        switch body.read(into: space) {
        case .bytes(let count):
            answer.sent += Int64(count)
            lastMove = LaneAlarms.now
            return count
        case .end: return 0
        case .wait:
            isPaused = true
            return Int(CURL_READFUNC_PAUSE)
        case .fail(let failure):
            answer.bodyFailure = failure
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// A list's bytes, before libcurl changes them and calls ``write(_:)`` for what is left.
    func writeRaw(_ bytes: UnsafeRawBufferPointer) {
        guard request.takesList, case .taken = rawAnswer else { return }
        rawAnswer = request.sink?.write(bytes) ?? .taken
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch request.takesList ? rawAnswer : request.sink?.write(bytes) ?? .taken {
        case .taken:
            answer.received += Int64(bytes.count)
            lastMove = LaneAlarms.now
            return bytes.count
        case .wait:
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        case .enough:
            answer.hasEnough = true
            return bytes.count == 0 ? 1 : 0
        case .fail(let failure):
            answer.bodyFailure = failure
            return bytes.count == 0 ? 1 : 0
        }
    }

    func line(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastMove = LaneAlarms.now
        if socketsAtFirstLine == nil { socketsAtFirstLine = control.opened }
        if isFTP {
            let isWhole = answer.replies.take(bytes)
            noteDataConnection(answer.replies.code)
            if isWhole, request.body != nil {
                control.keepWords((100...199).contains(answer.replies.code))
            }
            if answer.replies.code == 230 || answer.replies.code == 232 { answer.isLoggedIn = true }
            if isWhole, let onReply = request.onReply, !onReply(answer.replies) {
                answer.wasRefused = true
                return bytes.count == 0 ? 1 : 0
            }
        } else if bytes.count > 9, bytes.starts(with: "HTTP/".utf8) {
            // `HTTP/1.1 200`: 1 begins what is no answer yet.
            isAnswered = bytes[9] != UInt8(ascii: "1")
            if isAnswered, request.body != nil { control.keepWords(false) }
        }
        if let onLine = request.onLine, !onLine(bytes) {
            answer.wasRefused = true
            return bytes.count == 0 ? 1 : 0
        }
        return bytes.count
    }

    /// A data connection is offered with 227 or 229, and wanted with a reply that begins with 1.
    private func noteDataConnection(_ code: Int) {
        if (100...199).contains(code) {
            hasOpenedData = true
            if holdsGreeting { control.release() }
        } else if code == 227 || code == 229, holdsGreeting, request.movesData {
            control.holdNextSocket()
        }
    }
}
