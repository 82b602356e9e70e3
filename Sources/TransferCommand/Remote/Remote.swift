internal import Glibc
internal import TransferModel

/// The command `remote`: has the daemon do something at a server, and shows what came of it.
struct Remote {
    let session: Session

    /// Jobs that somebody waits for go before all others, and do not wait long.
    private static let priority = Int(Int32.max)
    private static let longestWait: Duration = .seconds(3600)

    func run(_ order: RemoteOrder) throws -> ExitStatus {
        switch order {
        case .ask(let asking) where asking.isQueued:
            session.output.line("\(try record(asking))")
            return .success
        case .ask(let asking): return try ask(asking)
        case .result(let id, let view):
            guard let job = try session.store.job(id) else {
                throw CommandError.usage(Sentences.unknown(id, among: 1))
            }
            return try RemoteResult(session: session, view: view).show(job)
        }
    }

    private func ask(_ asking: RemoteAsking) throws -> ExitStatus {
        try requireDaemon("with --queue it is done when one comes")
        let result = RemoteResult(session: session, view: asking.view)
        try result.check()
        return try Interruption.watching {
            let id = try record(asking)
            guard let job = try RemoteWait(session: session, id: id).run() else { return .later }
            return try result.show(job)
        }
    }

    /// Throws where nobody would do what is asked.
    func requireDaemon(_ advice: String) throws(CommandError) {
        guard !session.isDaemonRunning() else { return }
        throw .later(
            "no transferd is running for '\(Shown.bytes(session.places.state.bytes))'; \(advice)")
    }

    /// The job stands on return.
    func record(_ asking: RemoteAsking) throws -> JobID {
        let now = Clock.now()
        let (url, route) = try place(asking.place)
        let description = RemoteDescription(asking.operation, isQueued: asking.isQueued)
        let new = NewJob(
            route: route, url: url, description: .remote(description),
            priority: asking.isQueued ? 0 : Self.priority, idempotencyKey: RandomToken.make(),
            expiresAt: now + (asking.isQueued ? session.expires : Self.longestWait), createdAt: now)
        let committed = try session.store.commit(Turn(changes: [.admitted(new)]), at: now)
        guard let id = committed.admitted.first else {
            throw CommandError.later("the job could not be recorded")
        }
        return id
    }

    private func place(_ place: RemoteAsking.Place) throws(CommandError) -> (TransferURL, String?) {
        switch place {
        case .url(let url): return (url, nil)
        case .route(let name):
            guard let route = session.routes.first(where: { $0.name == name }) else {
                throw .usage("there is no route '\(Shown.text(name))', and it is no address either")
            }
            return (route.url, name)
        }
    }
}
