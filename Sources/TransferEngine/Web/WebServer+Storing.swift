internal import TransferModel

extension WebServer {
    /// Other addresses of the server that one body is sent on to, at most.
    private static let mostMoves = 5

    func store(_ parcel: Parcel, on lane: isolated Lane) async throws -> Stored {
        guard parcel.commands.isEmpty else {
            throw Failure(.permanent, text: "\(parcel.doing): HTTP has no commands for 'before'")
        }
        let start = LaneAlarms.now
        let exchange = WebExchange()
        let headers = try await headers(parcel, on: lane)
        let answer = try await lane.perform(storing(parcel, headers, exchange))
        let found = WebAnswer(head: exchange.head, excerpt: exchange.reply.kept, exchange: answer)
        guard found.head.isComplete, !found.head.isTooLong, (200...599).contains(found.status) else {
            return try await judge(parcel, unanswered: answer, since: start, on: lane)
        }
        // Whatever is left of the body must not be taken for another request.
        if answer.uploaded < parcel.length { lane.control.cutConnection() }
        return try judge(parcel, found)
    }

    private func storing(_ parcel: Parcel, _ headers: [String], _ exchange: WebExchange) -> Request {
        var request = request(target(of: parcel.path), headers: headers)
        request.body = parcel.body
        request.sink = exchange
        request.onLine = { exchange.take($0) }
        request.mayRepeat = parcel.mayRepeat
        request.set(.upload, true)
        request.set(.uploadSize, parcel.length)
        request.set(.receiveBufferSize, 16_384)
        let room = min(max(Int(clamping: parcel.length), 16_384), EasyConfiguration.bufferSize)
        request.set(.uploadBufferSize, room)
        return request
    }

    /// A signature may cover fields: what it was not made for is not sent beside it.
    private func headers(_ parcel: Parcel, on lane: isolated Lane) async throws -> [String] {
        var lines = ["Expect:"]
        if !parcel.replaces { lines.append("If-None-Match: *") }
        guard let modified = parcel.modified, !place.hasQuery else { return lines }
        // As ownCloud and Nextcloud take it.
        if try await speaksDAV(on: lane) { lines.append("X-OC-Mtime: \(modified.rawValue / 1_000)") }
        return lines
    }

    private func judge(_ parcel: Parcel, _ found: WebAnswer) throws -> Stored {
        switch found.status {
        case 200...299:
            guard found.exchange.uploaded == parcel.length else {
                throw Failure(
                    .temporary, code: found.status,
                    text:
                        "\(parcel.doing): the server answered \(found.head.answer) before the whole file was "
                        + "sent, so it cannot have it")
            }
            stored = (parcel.path, found.head)
            return .whole
        case 300...399: return try follow(found, from: parcel)
        case 412 where !parcel.replaces: return .taken
        case 404, 409:
            return .refused(refusal(found, doing: parcel.doing), mayLackDirectory: !place.hasQuery)
        case _: throw refusal(found, doing: parcel.doing)
        }
    }

    /// 307 and 308 repeat the body (RFC 9110, section 15.4), at this server alone.
    private func follow(_ found: WebAnswer, from parcel: Parcel) throws(Failure) -> Stored {
        let said = "\(parcel.doing): the server answered \(found.head.answer)"
        guard let location = found.head.value("location") else {
            throw Failure(
                .permanent, code: found.status, text: "\(said) and named no address", reply: found.reply)
        }
        let target = try? assignment.job.url.resolving(location)
        let name = target.map(\.description) ?? EscapedText.escape(location.utf8.prefix(500))
        guard found.status == 307 || found.status == 308, let target else {
            throw Failure(
                .permanent, code: found.status,
                text: "\(said) and named \(name): a file is not sent on by such an answer", reply: found.reply
            )
        }
        guard target.isSameServer(as: assignment.job.url) else {
            throw Failure(
                .permanent, code: found.status,
                text:
                    "\(said) and named another server, \(name): a file goes to no server but the one it was "
                    + "meant for", reply: found.reply)
        }
        moves += 1
        guard moves <= Self.mostMoves else {
            throw Failure(.permanent, text: "\(parcel.doing): it leads on more than \(Self.mostMoves) times")
        }
        moved[parcel.path] = target.requestText
        return .again(mayHaveArrived: false)
    }

    // MARK: No answer

    private func judge(
        _ parcel: Parcel, unanswered answer: Answer, since start: UInt64, on lane: isolated Lane
    ) async throws -> Stored {
        let failure =
            answer.failure(doing: parcel.doing)
            ?? Failure(
                .temporary, text: "\(parcel.doing): the server closed the connection without an answer")
        let isAllSent = answer.sent == parcel.length && answer.bodyFailure == nil
        // A connection that an earlier job has left is often closed already: PUT may be repeated, once.
        if answer.brokeKeptConnection, answer.status == 0, !hasRepeated {
            hasRepeated = true
            lane.control.cutConnection()
            return .again(mayHaveArrived: isAllSent)
        }
        guard isAllSent, answer.hasAsked else { throw failure }
        lane.control.cutConnection()
        guard try await hasArrived(parcel, since: start, on: lane) else { return .unconfirmed(failure) }
        return .whole
    }

    /// Whether what stands there now was written since `start`, by the server's own clock, and is as long.
    ///
    /// Both dates are whole seconds, so that a file that was stored in the same second proves nothing.
    private func hasArrived(_ parcel: Parcel, since start: UInt64, on lane: isolated Lane) async throws
        -> Bool
    {
        let question = WebQuestion(
            method: "HEAD", target: target(of: parcel.path), doing: "asking for \(name(parcel.path))")
        let found = try await ask(question, on: lane)
        guard WebFile.found(found.head) == .size(parcel.length),
            let modified = found.head.value("last-modified").flatMap(HTTPDate.parse),
            let now = found.head.value("date").flatMap(HTTPDate.parse)
        else { return false }
        let elapsed = Int64(clamping: (LaneAlarms.now - start) / 1_000_000)
        return modified.rawValue >= now.rawValue - elapsed + 1_000 && modified <= now
    }
}
