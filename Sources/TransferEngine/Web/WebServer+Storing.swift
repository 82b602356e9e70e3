internal import CCurl
internal import TransferModel

extension WebServer {
    /// Other addresses of the server that one body is sent on to, at most.
    private static let mostMoves = 5

    func store(_ parcel: Parcel, on lane: isolated Lane) async throws -> Stored {
        guard parcel.commands.isEmpty else {
            throw Failure(.permanent, text: "\(parcel.doing): HTTP has no commands for 'before'")
        }
        let url = address(of: parcel.path)
        try await terms.askForChallenge(url, on: lane)
        let headers = try await headers(parcel, on: lane)
        let start = LaneAlarms.now
        let exchange = WebExchange(hasAsked: terms.expects(on: lane))
        var request = storing(parcel, at: url, headers, exchange)
        terms.apply(to: &request, method: "PUT", url: url, bodyLength: parcel.length, on: lane)
        let answer = try await lane.perform(request)
        // Whatever is left of the body must not be taken for another request.
        if answer.uploaded < parcel.length { lane.control.cutConnection() }
        if terms.isToRepeat(after: exchange.head, from: url, on: lane) {
            return .again(mayHaveArrived: false)
        }
        let found = WebAnswer(exchange, answer)
        guard found.isComplete else {
            return try await judge(parcel, unanswered: answer, since: start, on: lane)
        }
        // nginx says that of a directory that is not there.
        if found.status == 500, try await lacksDirectory(parcel.path, on: lane) {
            return .refused(refusal(found, doing: parcel.doing), mayLackDirectory: true)
        }
        // Another job may have made it between the two questions.
        if found.status == 500, !place.hasQuery, !parcel.path.parent.names.isEmpty, !hasMetDirectory {
            hasMetDirectory = true
            return .again(mayHaveArrived: false)
        }
        // Of a server that knows no conditions it is the only sign.
        if found.status == 204, !parcel.replaces {
            lane.report(
                .notice(
                    severity: 4,
                    text: "\(parcel.doing): the server was to replace nothing and answered 204, as if it had")
            )
        }
        return try judge(parcel, found)
    }

    /// Whether the directory of `path` is not there, as far as the server says.
    func lacksDirectory(_ path: RemotePath, on lane: isolated Lane) async throws -> Bool {
        guard !place.hasQuery, !path.parent.names.isEmpty else { return false }
        let directory = place.address(of: path.parent, isCollection: true)
        let question = WebQuestion(method: "HEAD", url: directory, doing: "asking for \(name(path.parent))")
        return try await ask(question, on: lane).status == 404
    }

    private func storing(
        _ parcel: Parcel, at url: TransferURL, _ headers: [String], _ exchange: WebExchange
    ) -> Request {
        var request = request(url, headers: headers)
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
        var lines: [String] = []
        if !parcel.replaces { lines.append("If-None-Match: *") }
        guard !place.hasQuery else { return lines }
        let hasType = terms.wishes.headers?.contains { $0.name.lowercased() == "content-type" } ?? false
        if !hasType, let name = assignment.job.url.fileName {
            lines.append("Content-Type: \(MediaTypes.system.type(of: name.bytes))")
        }
        // As ownCloud and Nextcloud take it.
        if let modified = parcel.modified, try await speaksDAV(on: lane) {
            lines.append("X-OC-Mtime: \(modified.rawValue / 1_000)")
        }
        return lines
    }

    private func judge(_ parcel: Parcel, _ found: WebAnswer) throws -> Stored {
        let rules = AnswerRules(terms.wishes)
        switch found.status {
        case let status where rules.statuses.contains(status):
            guard found.exchange.uploaded == parcel.length else {
                throw Failure(
                    .temporary, code: found.status,
                    text:
                        "\(parcel.doing): the server answered \(found.head.answer) before the whole file was "
                        + "sent, so it cannot have it")
            }
            if let objection = rules.objection(to: found.excerpt, isWhole: found.isWhole) {
                throw Failure(
                    .permanent, code: status,
                    text: "\(parcel.doing): the server answered \(found.head.answer), but \(objection)",
                    reply: found.reply)
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
        let name = TransferURL.shown(location)
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
        moved[parcel.path] = target
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
        // A connection that an earlier job has left is often closed already: PUT may be repeated, once. libcurl wants to do
        // that by itself, connects, and has no body any more.
        if answer.brokeKeptConnection || answer.failed(CURLE_SEND_FAIL_REWIND), !hasRepeated {
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
            method: "HEAD", url: address(of: parcel.path), doing: "asking for \(name(parcel.path))")
        let found = try await ask(question, on: lane)
        guard WebFile.found(found.head, of: parcel.path) == .size(parcel.length),
            let modified = found.head.value("last-modified").flatMap(HTTPDate.parse),
            let now = found.head.value("date").flatMap(HTTPDate.parse)
        else { return false }
        let elapsed = Int64(clamping: (LaneAlarms.now - start) / 1_000_000)
        return modified.rawValue >= now.rawValue - elapsed + 1_000 && modified <= now
    }
}
