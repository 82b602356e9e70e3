internal import TransferModel

/// SFTP version 3 over one SSH connection: requests go out without waiting for the answers of earlier ones.
///
/// Belongs to a lane and is used on its queue. Throws ``SSHError`` when the connection is lost, ``Stop`` when the job is
/// to end; after either it is of no more use. Source: draft-ietf-secsh-filexfer-02.
final class SFTPConnection {
    let session: SSHSession
    /// What the server can do beyond the draft, by name.
    private(set) var extensions: [String: [UInt8]] = [:]
    private(set) var limits = SFTPLimits()
    /// What the last file that was stored had, by path: compared after it was closed, and not touched since.
    var lastStored: (path: [UInt8], size: Int64)?
    /// How many answers came so far.
    private(set) var answers = 0

    private let socket: KeptSocket
    let wake = WakeSignal()
    private var output = SFTPWriter()
    private var input = SFTPInput()
    private var lastID: UInt32 = 0
    private var awaited: Set<UInt32> = []
    private var arrived: [UInt32: SFTPReply] = [:]
    /// When something last came, and when others last had the lane's queue; nanoseconds.
    private var lastMove = LaneAlarms.now
    private var lastYield = LaneAlarms.now
    private var waits = 0
    private var deadline = UInt64.max

    /// How long the lane's queue is held while nothing comes; what else is to happen there waits as long.
    private static let patience = Duration.milliseconds(200)

    init(_ session: SSHSession, socket: KeptSocket) {
        self.session = session
        self.socket = socket
    }

    /// Agrees on the version; once, before anything else.
    func begin(on lane: isolated Lane) async throws {
        output.begin(.initialize)
        output.put(UInt32(3))
        output.end()
        awaited.insert(0)
        var reader = try await answer(to: 0, on: lane).reader(of: .version)
        while !reader.isAtEnd {
            let name = String(decoding: try reader.string(), as: UTF8.self)
            extensions[name] = Array(try reader.string())
        }
        try await askLimits(on: lane)
    }

    /// Whether the server has an extension in the version we know.
    func offers(_ name: String, version: String = "1") -> Bool { extensions[name] == Array(version.utf8) }

    private func askLimits(on lane: isolated Lane) async throws {
        guard offers("limits@openssh.com") else { return }
        let answer = try await ask(.extended, on: lane) { $0.put("limits@openssh.com".utf8) }
        if var reader = try? answer.reader(of: .extendedReply) { limits = try SFTPLimits(&reader) }
    }

    // MARK: Requests

    /// Queues a request; its answer is to be had once, by the number that is returned.
    func send(_ message: SFTPMessage, _ fields: (inout SFTPWriter) -> Void) -> UInt32 {
        lastID = lastID &+ 1 == 0 ? 1 : lastID &+ 1
        output.begin(message)
        output.put(lastID)
        fields(&output)
        output.end()
        awaited.insert(lastID)
        return lastID
    }

    /// A request and its answer.
    func ask(
        _ message: SFTPMessage, on lane: isolated Lane, _ fields: (inout SFTPWriter) -> Void
    ) async throws -> SFTPReply {
        try await answer(to: send(message, fields), on: lane)
    }

    /// Waits for the answer to a request.
    func answer(to id: UInt32, on lane: isolated Lane) async throws -> SFTPReply {
        lastMove = LaneAlarms.now
        while true {
            if let reply = take(id) { return reply }
            try await turn(on: lane)
        }
    }

    /// The answer to a request if it is there.
    func take(_ id: UInt32) -> SFTPReply? { arrived.removeValue(forKey: id) }

    /// Nobody waits for these answers any more.
    func forget(_ ids: some Sequence<UInt32>) {
        for id in ids {
            awaited.remove(id)
            arrived.removeValue(forKey: id)
        }
    }

    /// Bytes of requests that the server's window has no room for yet.
    var unsent: Int { output.bytes.count }

    /// To be called, from any queue, when what ``turn(on:waking:)`` waits for besides the server is there.
    var waker: @Sendable () -> Void {
        { [wake] in wake.signal() }
    }

    // MARK: Driving

    /// Sends and takes what can be; waits a moment for more when nothing came.
    ///
    /// - Parameter waking: whether something else is waited for, of which ``waker`` tells. Time that passes so is no
    ///   silence of the server.
    func turn(on lane: isolated Lane, waking: Bool = false) async throws {
        try lane.checkStop()
        do {
            try flush()
            // What is there already is taken without a look beforehand.
            let mustLook = waking || !output.bytes.isEmpty
            if try !mustLook || !receive(within: nil) {
                if !output.bytes.isEmpty, !session.isBusy, try flush() > 0 { return }
                try wait(waking: waking)
                if waking, awaited.isEmpty { lastMove = LaneAlarms.now }
                try checkSilence(lane.originSettings.stallTimeout)
            }
        } catch {
            // A stop breaks the connection: it is the reason then.
            try lane.checkStop()
            throw error
        }
        await yieldIfDue(lane)
    }

    private func yieldIfDue(_ lane: isolated Lane) async {
        guard LaneAlarms.now - lastYield > 200_000_000 else { return }
        await lane.giveWay()
        lastYield = LaneAlarms.now
    }

    /// What is asked from now on has to be answered within `limit` as a whole; nil: only silence is bounded.
    func setDeadline(_ limit: Duration?) {
        deadline = limit.map { LaneAlarms.now + UInt64(max(0, $0.wholeMilliseconds)) * 1_000_000 } ?? .max
    }

    /// Waits for ``waker`` to be called and leaves alone what comes from the server meanwhile.
    func rest(on lane: isolated Lane) async throws {
        try lane.checkStop()
        session.pause(until: wake, within: Self.patience, isDeaf: true)
        try lane.checkStop()
        lastMove = LaneAlarms.now
        await yieldIfDue(lane)
    }

    /// Whether the connection still stands, as far as can be told without asking.
    var isAlive: Bool {
        do {
            _ = try receive(within: nil)
            return true
        } catch {
            return false
        }
    }

    /// How many bytes were taken: as many as the server has room for, when those before them are gone. What libssh takes
    /// it keeps, and that would be a window full for each connection to a slow server.
    @discardableResult
    private func flush() throws -> Int {
        guard !output.bytes.isEmpty, !session.isBusy else { return 0 }
        let count = try output.bytes.withUnsafeBytes { try session.write($0) }
        output.drop(count)
        return count
    }

    private func wait(waking: Bool) throws {
        waits += 1
        if waits % 64 == 0 { session.dropErrors() }
        if waking || !output.bytes.isEmpty {
            session.pause(until: waking ? wake : nil, within: Self.patience)
        } else {
            _ = try receive(within: Self.patience)
        }
    }

    /// Whether anything came.
    private func receive(within patience: Duration?) throws -> Bool {
        let space = input.space
        let count =
            if let patience { try session.read(into: space, within: patience) } else {
                try session.read(into: space)
            }
        guard count > 0 else { return false }
        input.add(count)
        lastMove = LaneAlarms.now
        do throws(SFTPFormatError) {
            while let (kind, id, fields) = try input.next() { try deliver(kind, id, fields) }
        } catch {
            throw SSHError(
                "the server does not speak SFTP: '\(ForeignText.clean(input.beginning))'; its shell may print "
                    + "something at the login")
        }
        return true
    }

    private func deliver(_ kind: UInt8, _ id: UInt32, _ fields: [UInt8]) throws(SFTPFormatError) {
        guard let message = SFTPMessage(rawValue: kind) else { throw SFTPFormatError() }
        // The answer to the first request has the version where others have their number.
        let id = message == .version ? 0 : id
        answers += 1
        if awaited.remove(id) != nil { arrived[id] = SFTPReply(message: message, fields: fields) }
    }

    private func checkSilence(_ limit: Duration) throws(SSHError) {
        let silence = Duration.nanoseconds(Int64(clamping: LaneAlarms.now - lastMove))
        if silence >= limit || LaneAlarms.now >= deadline {
            throw SSHError("the server said nothing for too long")
        }
    }
}
