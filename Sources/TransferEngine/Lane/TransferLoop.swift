internal import CCurl
internal import Dispatch
internal import TransferModel

/// Drives one multi and one easy handle, both kept from job to job: one login and one TLS session for all steps.
/// Lives on the lane's queue.
final class TransferLoop {
    let control: LaneControl
    let alarms: LaneAlarms
    let sockets: SocketSet
    let easy = CurlEasy()
    private let multi: CurlMulti
    private let again: () -> Void
    var transfer: Transfer?
    /// Set while the transfer goes over its connections without libcurl.
    var dialogue: (any Dialogue)?
    /// Set while the lane reads the transfer's body itself.
    var reader: BodyReader?
    /// The sockets that are watched for the dialogue.
    var watchedForDialogue: [Int32] = []
    /// OpenSSL's part of the control connection that the last transfer by libcurl went over, where it spoke TLS; valid
    /// while the lane has one connection, and that one is in order.
    private(set) var tls: OpaquePointer?
    /// libcurl wants to be called without waiting.
    private var isUrgent = false
    /// ``proceed()`` is to go on reading.
    private var isGivingWay = false
    private var lastNudge: UInt64 = 0
    /// ``proceed()`` is to wait for the sockets.
    var isListening = false

    /// How long libcurl is left alone without socket or timeout, and how often it is nudged at most; nanoseconds.
    private static let patience: UInt64 = 100_000_000
    private static let nudgeInterval: UInt64 = 20_000_000

    /// How long the lane's thread waits for the sockets itself, in milliseconds. A server that is near answers in this
    /// time, and what comes from other queues can wait as long; a stop breaks the sockets, which ends the wait.
    static let listeningTime: Int32 = 5

    /// `again` has ``proceed()`` called soon, after what else waits on the lane's queue.
    init(control: LaneControl, alarms: LaneAlarms, sockets: SocketSet, again: @escaping () -> Void) {
        self.control = control
        self.alarms = alarms
        self.sockets = sockets
        self.again = again
        multi = CurlMulti(context: control)
        let loop = Unmanaged.passUnretained(self).toOpaque()
        transferd_multi_set_socket_function(multi.handle, CurlCallbacks.socket)
        let set = Unmanaged.passUnretained(sockets).toOpaque()
        transferd_multi_set_pointer(multi.handle, CURLMOPT_SOCKETDATA, set)
        transferd_multi_set_timer_function(multi.handle, CurlCallbacks.timer)
        transferd_multi_set_pointer(multi.handle, CURLMOPT_TIMERDATA, loop)
    }

    /// libcurl must not wait for a QUIT's reply, nor call back into objects that are going.
    deinit {
        dialogue?.close()
        reader?.close()
        control.cutConnection()
        transferd_multi_set_timer_function(multi.handle, nil)
        transferd_multi_set_socket_function(multi.handle, nil)
    }

    /// Starts `transfer`; `configure` sets the options that all requests of the lane have.
    func begin(_ transfer: Transfer, configure: (borrowing CurlEasy) throws(CurlError) -> Void) {
        precondition(self.transfer == nil, "a lane carries one request at a time")
        easy.reset()
        do throws(CurlError) {
            try configure(easy)
            try easy.attach(transfer, control: control)
        } catch {
            transfer.answer.error = error
            transfer.end()
            return
        }
        self.transfer = transfer
        tls = nil
        control.keepWords(false)
        sockets.keepsListening = transfer.mayBeForgotten
        isUrgent = false
        guard multi.add(easy) == CURLM_OK else { preconditionFailure("an idle easy handle can be added") }
        drive { _ = multi.act(on: -1, events: 0) }
    }

    // MARK: What wakes the loop

    func socketsReady() { act(on: sockets.takeReady()) }

    private func act(on ready: [(socket: Int32, events: Int32)]) {
        if reader != nil { return readBody() }
        if let dialogue { return ready.isEmpty ? hearDialogue() : converse { dialogue.proceed() } }
        let watched = ready.filter { sockets.isWatched($0.socket) }
        drive {
            for (socket, events) in watched where sockets.isWatched(socket) {
                _ = multi.act(on: socket, events: events)
            }
        }
        if watched.count < ready.count { lookAtForgotten() }
    }

    /// libcurl 7.88.1 begins the TLS handshake of a data connection before the server was told what for, and then watches
    /// that connection alone: a reply to a command before STOR or RETR stays unread until a timeout. So what comes at the
    /// control connection wakes it.
    private func lookAtForgotten() {
        guard reader == nil, let transfer, !transfer.isPaused, transfer.mayBeForgotten else { return }
        nudge(transfer)
    }

    /// Its reply may also come where libcurl, which finds replies that are there at once, never had a socket watched.
    private func listenToForgotten(_ transfer: Transfer) {
        sockets.keepsListening = transfer.mayBeForgotten
        guard transfer.mayBeForgotten, !sockets.isEmpty else { return }
        if let unheard = control.socket(where: { !sockets.isHeard($0) }) { sockets.listen(to: unheard) }
    }

    func timeoutReached() {
        if let dialogue { return converse { dialogue.lateness } }
        // libcurl, which is paused, has nothing to be late for.
        guard reader == nil else { return }
        drive { _ = multi.act(on: -1, events: 0) }
    }

    /// Goes on with what was urgent, or listens, after the loop gave way to others.
    func proceed() {
        isGivingWay = false
        if reader != nil { return readBody() }
        guard isListening, !isUrgent else { return dialogue == nil ? drive {} : () }
        let start = LaneAlarms.now
        while canListen {
            let waited = Int32(clamping: (LaneAlarms.now - start) / 1_000_000)
            guard waited < Self.listeningTime else { return again() }
            let ready = sockets.takeReady(waiting: Self.listeningTime - waited)
            guard !ready.isEmpty else {
                isListening = false
                transfer?.request.sink?.settle()
                return sockets.hear()
            }
            act(on: ready)
            if isUrgent || reader != nil {
                // Called again, it drives or reads, and listens anew.
                isListening = false
                return
            }
        }
        isListening = false
        listen()
    }

    /// A side that waited has something again.
    func resume() {
        guard let transfer, transfer.isPaused else { return }
        transfer.resumed()
        if let dialogue { return converse { dialogue.proceed() } }
        if reader != nil { return readBody() }
        unpause(transfer)
    }

    /// The time for a look at a transfer that seemed to hang.
    func nudgeDue() { nudgeIfHanging() }

    /// Ends the transfer when its server was silent for `limit`, or as long as the request allows; else says when to look
    /// again. Returns for how long and in which step nothing came when that is half of it, once in a row.
    func checkStall(_ limit: Duration) -> Silence? {
        guard let transfer else { return nil }
        // In a dialogue the handle knows of another transfer.
        if dialogue == nil { transfer.answer.uploaded = easy.uploaded }
        let look = transfer.request.firstLook(limit)
        let limit = transfer.longestSilence(limit, uploaded: transfer.answer.uploaded)
        let silence = Duration.nanoseconds(Int64(clamping: LaneAlarms.now - transfer.lastMove))
        if transfer.isPaused {
            alarms.set(.stall, after: look * 2)
        } else if silence >= limit {
            transfer.answer.hasStalled = true
            abandon()
        } else if silence >= limit / 2 {
            alarms.set(.stall, after: limit - silence)
            guard transfer.saysSilence() else { return nil }
            return Silence(time: silence, limit: limit, step: transfer.step(easy.milestones))
        } else {
            alarms.set(.stall, after: min(limit / 2 - silence, look))
        }
        return nil
    }

    /// A time in which nothing moved.
    struct Silence {
        let time: Duration
        /// How long it may last.
        let limit: Duration
        let step: Step
    }

    /// Ends the transfer now; the connection is lost.
    func abandon() {
        guard let transfer else { return }
        control.cutConnection()
        if dialogue != nil { return finishDialogue(.code(CURLE_ABORTED_BY_CALLBACK)) }
        finish(transfer, CURLE_ABORTED_BY_CALLBACK)
    }

    /// libcurl's timer callback; never acts, since libcurl is on the stack.
    func setTimeout(_ milliseconds: Int) {
        isUrgent = milliseconds == 0
        if milliseconds > 0 {
            alarms.set(.curl, after: .milliseconds(milliseconds))
        } else {
            alarms.clear(.curl)
        }
    }

    // MARK: Driving

    /// Nothing that libcurl wanted at once is to be done.
    func forgetUrgency() {
        isUrgent = false
        isListening = false
    }

    /// Has the reading go on after what else waits on the lane's queue.
    func giveWay() {
        guard !isGivingWay else { return }
        isGivingWay = true
        again()
    }

    private func drive(_ act: () -> Void) {
        act()
        var rounds = 0
        while isUrgent, rounds < 16 {
            isUrgent = false
            rounds += 1
            _ = multi.act(on: -1, events: 0)
        }
        if let transfer, let code = multi.result() { finish(transfer, code) }
        if takesOver() { return readBody() }
        // libcurl shows it only while a transfer goes on.
        if let transfer, transfer.isFTP, let found = easy.tls { tls = found }
        if let transfer { listenToForgotten(transfer) }
        if isUrgent { return again() }
        nudgeIfHanging()
        listen()
    }

    /// Whether the next thing to happen is up to the sockets.
    private var canListen: Bool { transfer.map { !$0.isPaused } ?? false && !sockets.isEmpty }

    /// Has the sockets waited for: by the lane itself, or by their source where others may come first.
    private func listen() {
        guard canListen else {
            isListening = false
            if let transfer {
                transfer.request.sink?.settle()
                sockets.hear()
            }
            return
        }
        sockets.mute()
        guard !isListening else { return }
        isListening = true
        again()
    }

    /// `words`: what is said of it instead of libcurl's.
    func finish(_ transfer: Transfer, _ code: CURLcode, _ words: String? = nil) {
        let hasRead = leaveReading()
        easy.complete(&transfer.answer, code)
        if hasRead, transfer.isFTP { transfer.answer.status = transfer.answer.replies.code }
        if let words { transfer.answer.error = CurlError(code, text: Array(words.utf8)) }
        if transfer.request.keepsSocket, code == CURLE_OK {
            transfer.answer.socket = control.keep(easy.socket)
        }
        let milestones = easy.milestones
        multi.remove(easy)
        let words = control.takeWords()
        if code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR { transfer.hear(words) }
        self.transfer = nil
        sockets.keepsListening = false
        alarms.clear(.curl)
        alarms.clear(.nudge)
        alarms.clear(.stall)
        alarms.clear(.look)
        isUrgent = false
        transfer.end(milestones)
    }

    /// libcurl 7.88.1 hangs in FTP when the reply to EPSV arrives in the call that sent it: no socket is watched and no
    /// timeout set. Pausing and resuming makes it look again; curl_multi_perform would not update the sockets.
    private func nudgeIfHanging() {
        guard let transfer, !transfer.isPaused, reader == nil, sockets.isEmpty, !isUrgent else { return }
        let now = LaneAlarms.now
        if let timeout = alarms.deadline(.curl), timeout <= now + Self.patience { return }
        guard now >= lastNudge + Self.nudgeInterval else {
            alarms.set(.nudge, at: lastNudge + Self.nudgeInterval)
            return
        }
        lastNudge = now
        nudge(transfer)
    }

    func nudge(_ transfer: Transfer) {
        transfer.answer.nudges += 1
        _ = easy.pause(CURLPAUSE_RECV | CURLPAUSE_SEND)
        unpause(transfer)
    }

    private func unpause(_ transfer: Transfer) {
        let code = easy.pause(CURLPAUSE_CONT)
        if code == CURLE_OK {
            // What libcurl had kept has gone on by now; left to itself it would read until there is no room again.
            takesOver() ? readBody() : drive {}
        } else {
            control.cutConnection()
            finish(transfer, code)
        }
    }
}
