import TransferModel

/// When each route that fetches looks into its directory next, and what was said of its last look.
struct PollTimes {
    private var times: [String: MonotonicTime] = [:]
    private var troubles: [String: String] = [:]
    /// Routes whose last list had more files than one poll takes.
    private var hurried: Set<String> = []

    var next: MonotonicTime? { times.values.min() }

    /// The configuration is another one: new routes look at once.
    mutating func plan(_ routes: [RouteSettings], now: MonotonicTime) {
        var planned: [String: MonotonicTime] = [:]
        for route in routes where route.kind == .fetch {
            planned[route.name] = min(times[route.name] ?? now, now + route.poll.interval)
        }
        times = planned
        troubles = troubles.filter { planned[$0.key] != nil }
    }

    /// The routes that are due, each of which is due again an interval later, should its look never end.
    mutating func takeDue(_ routes: [RouteSettings], now: MonotonicTime) -> [RouteSettings] {
        let due = routes.filter { route in times[route.name].map { $0 <= now } ?? false }
        for route in due { times[route.name] = now + route.poll.interval }
        return due
    }

    mutating func hurry(_ route: String) { hurried.insert(route) }

    /// A look is over: the next one is an interval later, so that what looks the same then has settled for one.
    mutating func ended(_ route: RouteSettings, now: MonotonicTime) {
        guard times[route.name] != nil else { return }
        let isHurried = hurried.remove(route.name) != nil
        times[route.name] = isHurried ? now : now + route.poll.interval
    }

    /// Whether this has not been said of the route already; nil: it works again.
    mutating func isNews(_ trouble: String?, of route: String) -> Bool {
        defer { troubles[route] = trouble }
        return troubles[route] != trouble
    }
}
