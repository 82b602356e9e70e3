import TransferConfiguration
import TransferModel
import TransferStore

/// Routes that fetch: they look into a directory of a server, and what is new and has settled becomes jobs.
///
/// A look is a job, of which a route has one at a time. What it found is remembered in the commit that admits the jobs.
extension Daemon {
    func planPolls() {
        duties.polls.plan(settings.routes, now: clock.now)
    }

    func poll(_ now: MonotonicTime) {
        guard !duties.isStopping, !ledger.isBlocked else { return }
        for route in duties.polls.takeDue(settings.routes, now: now) {
            let job = route.pollJob(now: clock.wall, expires: settings.general.expires)
            ledger.record(.renewed(job), isUrgent: true)
            decide(.due(route.url.origin, now))
        }
    }

    /// A route's directory holds these files now.
    func listed(_ files: [ListedFile], by job: Job, unreadable: Int) {
        guard let route = job.route.flatMap(settings.route), route.kind == .fetch, route.url == job.url else {
            return
        }
        let known: [RememberedFile]
        do {
            known = try table.remembered(by: route.name, in: route.url)
        } catch {
            return log(.warning, "what route \(route.name) has fetched cannot be read: \(error)")
        }
        let globs = NamePatterns(route.poll.globs)
        let ignored = NamePatterns(settings.general.ignore)
        let decision = PollDecision(files, remembered: known, rules: route.pollRules, now: clock.wall) {
            !ignored.matches($0) && (globs.isEmpty || globs.matches($0))
        }
        take(decision, of: route)
        if unreadable > 0, duties.polls.isNews("\(unreadable) unreadable", of: "\(route.name) list") {
            log(
                .warning,
                "\(unreadable) line\(unreadable == 1 ? "" : "s") of the list of \(route.url) could not be read "
                    + "route=\(route.name)")
        }
    }

    private func take(_ decision: PollDecision, of route: RouteSettings) {
        for name in decision.refused {
            log(
                .warning,
                "a file at \(route.url) has a name that none can have here, and is left alone: "
                    + "'\(EscapedText.escape(name))' route=\(route.name)")
        }
        let record = PollRecord(
            route: route.name, directory: route.url, remembered: decision.remembered,
            forgotten: decision.forgotten)
        if !record.isEmpty { ledger.record(.polled(record)) }
        for file in decision.taken {
            let job = route.fetchJob(
                file, in: settings.places, key: .randomKey(), now: clock.wall,
                expires: settings.general.expires)
            guard let job else { continue }
            ledger.record(.admitted(job), isUrgent: true)
        }
        guard !decision.taken.isEmpty else { return }
        if decision.hasMore { duties.polls.hurry(route.name) }
        log(.information, "files to be fetched count=\(decision.taken.count) route=\(route.name)")
        decide(.due(route.url.origin, clock.now))
    }

    /// The end of a poll, or of what one has found: to be recorded in the same commit as that end.
    func noteEnd(_ ending: Ending, of job: Job) {
        guard let route = job.route.flatMap(settings.route), route.kind == .fetch else { return }
        if job.description.isPoll { return noteEnd(ofPoll: ending, of: route) }
        guard ending.state.name == .done else { return }
        let next = route.putAwayJob(
            of: job, size: ending.offset, now: clock.wall, expires: settings.general.expires)
        guard let next else { return }
        ledger.record(.admitted(next))
        decide(.due(next.url.origin, clock.now))
    }

    private func noteEnd(ofPoll ending: Ending, of route: RouteSettings) {
        duties.polls.ended(route, now: clock.now)
        guard ending.state.name.isFinal else { return }
        let trouble = ending.state.name == .failed ? ending.failure?.text : nil
        guard duties.polls.isNews(trouble, of: route.name) else { return }
        if let trouble {
            log(.error, "route \(route.name) cannot look into \(route.url), and goes on trying: \(trouble)")
        } else {
            log(.information, "route \(route.name) can look into \(route.url) again")
        }
    }
}
