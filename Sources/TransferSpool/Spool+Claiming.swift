import CLinux
import Glibc
public import TransferModel

extension Spool {
    /// Takes up to `limit` files that are whole, each once.
    ///
    /// On return each has moved to `.claimed/BATCH/NAME` and both directories are durable; nothing else is. What is no
    /// file for a job is reported once and left alone. Reads the news first.
    public func takeReady(now: MonotonicTime, limit: Int) -> [ClaimedFile] {
        eventsReady(now: now)
        if let searchAt, searchAt <= now { search(now: now) }
        var files: [ClaimedFile] = []
        let count = routes.count
        for offset in 0..<count where files.count < limit {
            files += take(from: routes[(turn + offset) % count], now: now, limit: limit - files.count)
        }
        if count > 0 { turn = (turn + 1) % count }
        return files
    }

    private func take(from route: SpoolRoute, now: MonotonicTime, limit: Int) -> [ClaimedFile] {
        guard let directory = route.directory else { return [] }
        if let paused = route.pausedUntil, paused > now { return [] }
        route.pausedUntil = nil
        let candidates = route.settling.takeDue(at: now, limit: limit)
        var batch = Batch(directory, random: random)
        var files: [ClaimedFile] = []
        for (index, candidate) in candidates.enumerated() {
            do throws(SpoolError) {
                guard try isClaimable(candidate, route, directory, now: now) else { continue }
                guard let file = try batch.take(candidate.name, of: route.label) else { continue }
                files.append(file)
            } catch {
                refused(candidate, error, route, directory, now: now)
                guard error.concernsAll else { continue }
                for untouched in candidates[index...] { route.settling.putBack(untouched, at: now) }
                break
            }
        }
        do throws(SpoolError) { try batch.synchronize() } catch {
            log(
                SpoolNotice(
                    .error, "Claimed files may not outlive a power failure: \(error) route=\(route.label)"))
        }
        if route.scanIsIncomplete, route.settling.count < Self.mostWaiting / 2 { scan(route, now: now) }
        return files
    }

    /// False when the file must wait, is gone, or was reported.
    private func isClaimable(
        _ candidate: Settling.Candidate, _ route: SpoolRoute, _ directory: RouteDirectory, now: MonotonicTime
    ) throws(SpoolError) -> Bool {
        let name = candidate.name
        if RouteDirectory.isReserved(name) || ignore.matches(name) { return false }
        guard let status = try directory.dropped.status(FilePath(name)) else { return false }
        if route.reported[name] == status.look { return false }
        guard status.kind == .regular else {
            report(name, status, "it is \(status.kind.rawValue), and only regular files are sent", route)
            return false
        }
        if let expected = candidate.expected, expected != status.look {
            route.settling.handle(.scanned(status.look), of: name, at: now)
            return false
        }
        if name.hasControlBytes {
            try setAside(name, route, directory)
            return false
        }
        return try isUnwritten(candidate, status, route, directory, now: now)
    }

    /// Opens the file, which proves that it can be read, and asks the kernel for writers.
    private func isUnwritten(
        _ candidate: Settling.Candidate, _ status: FileStatus, _ route: SpoolRoute,
        _ directory: RouteDirectory,
        now: MonotonicTime
    ) throws(SpoolError) -> Bool {
        let path = FilePath(candidate.name)
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let fd = path.withCString { transferd_openat(directory.dropped.fd, $0, flags, 0) }
        guard fd >= 0 else {
            if errno == ENOENT { return false }
            throw directory.dropped.failed("cannot open", path)
        }
        defer { close(fd) }
        switch directory.fileSystem.trustsLeases ? probe(fd) : .unknown {
        case .noWriter: return true
        case .writer:
            route.settling.foundBusy(candidate, at: now)
            return false
        case .unknown:
            guard candidate.needsProof else { return true }
            route.settling.unproven(candidate, look: status.look, at: now)
            return false
        }
    }

    /// Moves a file whose name could break a command to `failed`, where an operator sees it.
    private func setAside(_ name: FileName, _ route: SpoolRoute, _ directory: RouteDirectory)
        throws(SpoolError)
    {
        let text =
            "The name \(name) holds control bytes, which could break a command; rename the file and drop it again."
        let kept = try keepFailed(
            .dropped(name), as: name, FailedReason(text, job: nil, at: nil), in: directory)
        try synchronize()
        log(SpoolNotice(.warning, "\(text) It lies in failed route=\(route.label) name=\(kept ?? name)"))
    }

    private func refused(
        _ candidate: Settling.Candidate, _ error: SpoolError, _ route: SpoolRoute,
        _ directory: RouteDirectory,
        now: MonotonicTime
    ) {
        if error.concernsAll {
            route.pausedUntil = now + Self.pause
            log(SpoolNotice(.error, "No file can be taken: \(error) route=\(route.label)"))
        } else if let status = try? directory.dropped.status(FilePath(candidate.name)) {
            report(candidate.name, status, error.text, route)
        }
    }

    private func report(_ name: FileName, _ status: FileStatus, _ why: String, _ route: SpoolRoute) {
        route.reported[name] = status.look
        log(
            SpoolNotice(
                .warning, "A name in the spool is left alone: \(why) route=\(route.label) name=\(name)"))
    }
}
