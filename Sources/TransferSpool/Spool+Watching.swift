import CLinux
import Glibc
public import TransferModel

extension Spool {
    /// Reads the news. After lost ones every route is scanned.
    public func eventsReady(now: MonotonicTime) {
        guard let inotify else { return }
        var lostNews = false
        var moved = false
        inotify.drain { event in
            if event.isOverflow {
                lostNews = true
            } else if event.watch == spoolWatch {
                moved = true
            } else if let route = routes.first(where: { $0.watch == event.watch }) {
                if hear(event, of: route, now: now) { moved = true }
            }
        }
        if lostNews { overflowed(now: now) }
        if moved { search(now: now) }
    }

    /// Looks for lost directories, and reads every route for files that no news announced.
    public func rescan(now: MonotonicTime) {
        search(now: now)
        for route in routes { scan(route, now: now) }
    }

    /// Every route's path is compared with the directory that is held: lost ones are let go, found ones taken up.
    func search(now: MonotonicTime) {
        checkSpool()
        for route in routes {
            if let held = route.directory, let reason = absence(of: held) { lose(route, reason) }
            if route.directory == nil {
                attach(route, making: false, now: now)
            } else {
                do throws(SpoolError) { _ = try renewed(route) } catch { lose(route, error.text) }
                rewatch(route)
            }
        }
        searchAt = degraded.isEmpty ? nil : now + Self.searchInterval
    }

    /// Opens, watches and reads the route's directory.
    func attach(_ route: SpoolRoute, making: Bool, now: MonotonicTime) {
        guard let directory else { return lose(route, "\(places.spool) is not there") }
        do throws(SpoolError) {
            let opened = try RouteDirectory(route.name, in: directory, making: making)
            let wasLost = route.hasBeenOpened
            route.hasBeenOpened = true
            route.presence = .present(opened, watch: nil)
            rewatch(route)
            route.settling.eventsLost(at: now)
            if wasLost {
                log(SpoolNotice(.info, "The spool directory is back and is read again route=\(route.label)"))
            }
            scan(route, now: now)
        } catch {
            let isKnown = route.hasBeenOpened && error.code == ENOENT
            if !isKnown { lose(route, error.text) }
        }
    }

    private func lose(_ route: SpoolRoute, _ reason: String) {
        if let watch = route.watch { inotify?.unwatch(watch) }
        let isNews: Bool =
            switch route.presence {
            case .present: true
            case .lost(let before): before != reason
            }
        route.presence = .lost(reason)
        route.reported = [:]
        guard isNews else { return }
        let path = places.spool.appending(route.name)
        log(
            SpoolNotice(
                .error,
                "What is dropped into \(path) is not sent until the directory is back: \(reason) route=\(route.label)"
            ))
    }

    /// nil while the path names the directory that is held.
    private func absence(of held: RouteDirectory) -> String? {
        guard let directory else { return "\(places.spool) is not there" }
        do throws(SpoolError) {
            guard let status = try directory.status(FilePath(held.name)) else {
                return "the directory was deleted or moved away"
            }
            return status.isSame(as: held.status) ? nil : "another directory has taken its place"
        } catch {
            return error.text
        }
    }

    /// The directory that holds the routes may have been replaced itself.
    private func checkSpool() {
        let named = try? OpenDirectory.open(places.spool)
        if let held = directory?.status, let status = named?.status, status.isSame(as: held) {
            return watchSpool()
        }
        if let spoolWatch { inotify?.unwatch(spoolWatch) }
        spoolWatch = nil
        directory = named
        watchSpool()
    }

    func watchSpool() {
        guard spoolWatch == nil, let directory, let inotify else { return }
        spoolWatch = try? inotify.watch(directory, Inotify.spoolMask)
    }

    private func rewatch(_ route: SpoolRoute) {
        guard case .present(let directory, nil) = route.presence, let inotify else { return }
        do throws(SpoolError) {
            route.presence = .present(
                directory, watch: try inotify.watch(directory.dropped, Inotify.routeMask))
            route.watchFailed = false
        } catch {
            if !route.watchFailed { log(Self.withoutNews(error)) }
            route.watchFailed = true
        }
    }

    private func overflowed(now: MonotonicTime) {
        log(
            SpoolNotice(
                .warning, "More was dropped at once than the kernel could tell of; every route is read again")
        )
        for route in routes {
            route.settling.eventsLost(at: now)
            scan(route, now: now)
        }
    }

    static func withoutNews(_ error: SpoolError) -> SpoolNotice {
        SpoolNotice(
            .warning,
            "Dropped files are found only by reading the spool now and then: \(error); see fs.inotify.max_user_watches"
        )
    }
}
