import CLinux
import Glibc
public import TransferModel

/// The file system side of the routes: hears of dropped files, waits until they are whole, takes them out of their
/// writers' reach, and disposes of them at the end.
///
/// Belongs to one queue; every call is synchronous and short. Its owner waits on ``descriptor`` and until
/// ``nextDeadline``, and calls ``eventsReady(now:)`` and ``takeReady(now:limit:)``; and ``rescan(now:)`` every now and
/// then, since network file systems tell no news.
///
/// The order at start: ``open(now:)``, ``recover(_:)`` for each recorded source, ``unrecorded(known:)``, ``takeReady``.
public final class Spool {
    let places: Places
    var ignore: IgnoreList
    let log: (SpoolNotice) -> Void
    /// Gives the names of batches: no two may be alike in a lifetime, so that no path names two files.
    let random: () -> UInt64

    /// How the kernel is asked for news.
    var openNews: () throws(SpoolError) -> Inotify = { () throws(SpoolError) in try Inotify() }
    /// How the kernel is asked for writers.
    var probe: (Int32) -> ReadLease = ReadLease.probe
    var routes: [SpoolRoute] = []
    var settings: [RouteSettings]
    var directory: OpenDirectory?
    var inotify: Inotify?
    var spoolWatch: Int32?
    /// When a lost directory is looked for again.
    var searchAt: MonotonicTime?
    /// The route that is asked first next time, so that a full one does not hold up the others.
    var turn = 0
    /// Directories that disposals changed since the last ``synchronize()``, by path below the spool.
    var changed: [FilePath: OpenDirectory] = [:]

    /// How many names of one route wait at most before a scan stops until some are taken.
    static let mostWaiting = 20_000
    static let searchInterval: Duration = .seconds(1)
    static let pause: Duration = .seconds(5)

    /// - Parameters:
    ///   - ignore: shell patterns of names to leave alone, fnmatch(3).
    ///   - log: called on the queue that calls the spool.
    public init(
        places: Places, routes: [RouteSettings], ignore: [String],
        random: @escaping () -> UInt64 = { UInt64.random(in: 0 ... .max) },
        log: @escaping (SpoolNotice) -> Void
    ) {
        self.places = places
        self.settings = routes
        self.ignore = IgnoreList(ignore)
        self.random = random
        self.log = log
    }

    /// Makes the directories that are missing, starts the watch and reads everything there is.
    ///
    /// A route that cannot be opened, or a kernel without watches to spare, is a notice and no error: the route is
    /// looked for again each second. Ignores SIGIO for this process.
    public func open(now: MonotonicTime) throws(SpoolError) {
        ReadLease.ignoreSignal()
        try makeSpool()
        do { inotify = try openNews() } catch { log(Self.withoutNews(error)) }
        watchSpool()
        admit(settings, now: now)
    }

    /// The descriptor to wait on for news; nil where the kernel gave none. Belongs to the spool.
    public var descriptor: Int32? { inotify?.fd }

    /// When ``takeReady(now:limit:)`` should be called again; nil: when news come.
    public var nextDeadline: MonotonicTime? {
        (routes.map(\.nextDeadline) + [searchAt]).compactMap(\.self).min()
    }

    /// The routes whose directory is not there, with the reason in words.
    public var degraded: [String: String] {
        var reasons: [String: String] = [:]
        for route in routes {
            switch route.presence {
            case .present: break
            case .lost(let reason): reasons[route.label] = reason
            }
        }
        return reasons
    }

    /// The configuration was read again: routes that are gone are watched no longer, new ones are made and read.
    public func replaceRoutes(_ settings: [RouteSettings], ignore: [String], now: MonotonicTime) {
        self.settings = settings
        self.ignore = IgnoreList(ignore)
        let kept = Set(settings.map(\.name))
        for route in routes where !kept.contains(route.label) {
            route.watch.map { inotify?.unwatch($0) }
        }
        routes.removeAll { !kept.contains($0.label) }
        admit(settings, now: now)
    }

    private func admit(_ settings: [RouteSettings], now: MonotonicTime) {
        for route in settings { admit(route, now: now) }
        searchAt = degraded.isEmpty ? nil : now + Self.searchInterval
    }

    private func admit(_ settings: RouteSettings, now: MonotonicTime) {
        let known = routes.first { $0.label == settings.name }
        known?.settling.settle = settings.settle
        guard let name = FileName(settings.name), known?.directory == nil else { return }
        let route = known ?? SpoolRoute(name: name, label: settings.name, settle: settings.settle)
        if known == nil { routes.append(route) }
        attach(route, making: true, now: now)
    }

    private func makeSpool() throws(SpoolError) {
        let made = places.spool.withCString { mkdir($0, 0o755) }
        guard made == 0 || errno == EEXIST else {
            throw SpoolError.last("cannot make the directory", places.spool)
        }
        directory = try OpenDirectory.open(places.spool)
    }
}
