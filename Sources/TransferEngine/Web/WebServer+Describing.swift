internal import TransferModel

extension WebServer {
    func describe(on lane: isolated Lane) async throws(Stop) -> ServerDescription {
        var description = ServerDescription()
        description.add("server", "\(origin)")
        let observer = TLSObserver()
        let security = SecurityReport(
            usesTLS: origin.scheme == .https, way: "from the start", observer: observer, now: .now())
        let (answer, found) = try await greet(observer, lane)
        security.report(into: &description)
        do throws(Failure) {
            try assignment.requireLogin()
            try judge(answer, found)
        } catch {
            description.failure = error
            security.advise(on: error, answer, settings: assignment.origin, into: &description)
            return description
        }
        lane.memory.features = ServerFeatures(options: found.head)
        report(found.head, into: &description)
        security.adviseOnCertificate(into: &description)
        try await look(lane, &description)
        return description
    }

    private func greet(
        _ observer: TLSObserver, _ lane: isolated Lane
    ) async throws(Stop) -> (Answer, WebAnswer) {
        try await terms.askForChallenge(directory, on: lane)
        while true {
            let exchange = WebExchange()
            var request = request(directory, headers: [])
            request.set(.customRequest, "OPTIONS")
            request.set(.freshConnect, true)
            request.observer = observer
            request.sink = exchange
            request.onLine = { exchange.take($0) }
            terms.apply(to: &request, method: "OPTIONS", url: directory, on: lane)
            let answer = try await lane.perform(request)
            if terms.isToRepeat(after: exchange.head, from: directory, on: lane) { continue }
            return (answer, WebAnswer(exchange, answer))
        }
    }

    private func judge(_ answer: Answer, _ found: WebAnswer) throws(Failure) {
        let doing = "asking \(origin) what it can"
        guard found.isComplete else { throw Failure(answer, doing: doing) }
        if found.head.isTrouble { throw refusal(found, doing: doing) }
    }

    private func report(_ head: HTTPHead, into description: inout ServerDescription) {
        if let product = head.value("server") { description.add("product", ForeignText.clean(product.utf8)) }
        let features = ServerFeatures(options: head)
        let classes = features.parameters(of: "DAV")
        description.add("WebDAV", classes.map { "class \(ForeignText.clean($0.utf8))" } ?? "not announced")
        if let methods = features.parameters(of: "ALLOW") {
            description.add("methods", ForeignText.clean(methods.utf8))
        }
        description.add("resume", "never: a PUT begins with the first byte")
        if classes == nil {
            description.advice.append(
                "Without WebDAV there is no temporary name: leave 'temp_name = off', and readers see what the "
                    + "server makes of a file that is being sent.")
        }
    }

    /// Whether the directory can be looked at, with the login if there is one.
    private func look(_ lane: isolated Lane, _ description: inout ServerDescription) async throws(Stop) {
        let path = RemotePath(isAbsolute: true, names: assignment.job.url.serverPath.names)
        let directory = assignment.job.url.isDirectory ? path : path.parent
        do {
            let listing = try await list(directory, on: lane)
            let count = listing.entries.count
            description.add("directory", "\(directory), \(count) \(count == 1 ? "name" : "names")")
        } catch let stop as Stop {
            throw stop
        } catch {
            let failure = error as? Failure ?? Failure(.local, text: "\(error)")
            if failure.scope == .login || failure.class != .permanent {
                description.failure = failure
            } else {
                description.add("directory", "not to be listed: \(failure.text)")
            }
        }
    }
}
