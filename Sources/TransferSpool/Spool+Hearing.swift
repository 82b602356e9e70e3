import CLinux
import Glibc
import TransferModel

extension Spool {
    /// Passes one event on to the route's ``Settling``; true when the directory itself was hit.
    func hear(_ event: Inotify.Event, of route: SpoolRoute, now: MonotonicTime) -> Bool {
        guard let name = event.name else {
            if event.has(IN_IGNORED), case .present(let directory, _) = route.presence {
                route.presence = .present(directory, watch: nil)
            }
            return event.has(IN_DELETE_SELF) || event.has(IN_MOVE_SELF) || event.has(IN_UNMOUNT)
                || event.has(IN_IGNORED)
        }
        guard let meaning = meaning(of: event, name, route) else { return false }
        route.settling.handle(meaning, of: name, at: now)
        return false
    }

    private func meaning(of event: Inotify.Event, _ name: FileName, _ route: SpoolRoute) -> Settling.Event? {
        if event.concernsDirectory {
            let appeared = event.has(IN_CREATE) || event.has(IN_MOVED_TO)
            return appeared && !RouteDirectory.isReserved(name) ? .linked : nil
        }
        if event.has(IN_CREATE) { return created(name, route) }
        if event.has(IN_OPEN) { return .opened }
        if event.has(IN_CLOSE_WRITE) { return .closed(written: true) }
        if event.has(IN_CLOSE_NOWRITE) { return .closed(written: false) }
        if event.has(IN_MOVED_FROM) { return .movedOut(cookie: event.cookie) }
        if event.has(IN_MOVED_TO) { return .movedIn(cookie: event.cookie) }
        return event.has(IN_DELETE) ? .deleted : nil
    }

    /// A file that is gone again has sent the rest of its news, too.
    private func created(_ name: FileName, _ route: SpoolRoute) -> Settling.Event? {
        guard let status = try? route.directory?.dropped.status(FilePath(name)) else { return nil }
        return status.kind == .regular && status.links == 1 ? .created(status.look) : .linked
    }

    /// Reads the directory for names that nothing is known of.
    func scan(_ route: SpoolRoute, now: MonotonicTime) {
        guard let directory = route.directory else { return }
        var seen: [FileName: Look] = [:]
        route.scanIsIncomplete = false
        do throws(SpoolError) {
            try directory.dropped.forEachName { (name) throws(SpoolError) in
                if RouteDirectory.isReserved(name) || ignore.matches(name) { return }
                guard route.settling.knows(name) || route.settling.count < Self.mostWaiting else {
                    route.scanIsIncomplete = true
                    return
                }
                guard let status = try directory.dropped.status(FilePath(name)) else { return }
                if let look = route.reported[name], look == status.look {
                    seen[name] = look
                } else if status.kind == .regular {
                    route.settling.handle(.scanned(status.look), of: name, at: now)
                } else {
                    route.settling.handle(.linked, of: name, at: now)
                }
            }
            if !route.scanIsIncomplete { route.reported = seen }
        } catch {
            log(SpoolNotice(.error, "The spool cannot be read: \(error) route=\(route.label)"))
        }
    }
}
