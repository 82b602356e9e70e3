import CLinux
import Glibc
public import TransferModel

extension Spool {
    /// Deletes, archives or keeps the file of a job whose end is recorded.
    ///
    /// Called again after a crash it finds what it did and succeeds. A file of `source_dirs` is never touched; one of the
    /// intake is deleted, but stays for a while when its job failed (``sweepIntake(olderThan:now:isNeeded:)``). Durable
    /// after ``synchronize()``: only then may the job be recorded as disposed of.
    ///
    /// - Returns: the file's new place; nil when it has none, or when somebody else took it away.
    @discardableResult
    public func dispose(_ source: SourceFile, as disposal: Disposal) throws(SpoolError) -> SourceFile? {
        switch source.root {
        case .inPlace: return source
        case .intake: return try disposeIntake(source, as: disposal)
        case .spool: break
        }
        guard let (name, place) = SpoolPlace.parse(source.path) else {
            throw SpoolError(text: "the source \(source.path) is no place in the spool")
        }
        let route = try directory(of: name)
        switch disposal {
        case .delete:
            try delete(place, in: route)
            return nil
        case .archive:
            let kept = try archive(place, as: source.name, in: route)
            return kept.map { moved(source, to: .sent($0), of: name) }
        case .keepFailed(let reason):
            let kept = try keepFailed(place, as: source.name, reason, in: route)
            return kept.map { moved(source, to: .failed($0), of: name) }
        }
    }

    /// On return everything that ``dispose(_:as:)`` did is durable: one fsync(2) for each directory it touched.
    public func synchronize() throws(SpoolError) {
        for (path, directory) in changed {
            try directory.synchronize()
            changed[path] = nil
        }
    }

    private func moved(_ source: SourceFile, to place: SpoolPlace, of route: FileName) -> SourceFile {
        SourceFile(root: .spool, path: place.path(of: route), name: source.name)
    }

    /// Of a route that the configuration names no more, too, for as long as its directory stands.
    private func directory(of name: FileName) throws(SpoolError) -> RouteDirectory {
        if let route = routes.first(where: { $0.name == name }), let held = try renewed(route) { return held }
        guard let directory else { throw SpoolError(code: ENOENT, text: "\(places.spool) is not there") }
        return try RouteDirectory(name, in: directory, making: false)
    }

    /// The route's directory; what was deleted in it or moved away, as when a person clears `sent`, is made again.
    func renewed(_ route: SpoolRoute) throws(SpoolError) -> RouteDirectory? {
        guard case .present(let held, let watch) = route.presence, !held.isWhole else {
            return route.directory
        }
        let anew = try RouteDirectory(renewing: held)
        route.presence = .present(anew, watch: watch)
        return anew
    }

    func note(_ directory: OpenDirectory) { changed[directory.path] = directory }

    private func delete(_ place: SpoolPlace, in route: RouteDirectory) throws(SpoolError) {
        let (directory, path) = place.location(in: route)
        try directory.remove(path)
        try leave(place, in: route)
    }

    /// Tidies up where a file was: its batch when it was the last, its reason when it had failed before.
    private func leave(_ place: SpoolPlace, in route: RouteDirectory) throws(SpoolError) {
        switch place {
        case .dropped: note(route.dropped)
        case .sent: note(route.sent)
        case .failed(let name):
            try route.failed.remove(FilePath(FreeNames.reason(for: name)))
            note(route.failed)
        case .claimed(let batch, _):
            note(route.claimed)
            guard !route.claimed.removeDirectory(FilePath(batch)), errno == ENOTEMPTY else { break }
            note(try route.claimed.directory(FilePath(batch)))
        }
    }

    private func archive(_ place: SpoolPlace, as name: FileName, in route: RouteDirectory)
        throws(SpoolError) -> FileName?
    {
        if case .sent(let kept) = place { return kept }
        let (directory, path) = place.location(in: route)
        let choices = FreeNames(name: name)
        var number = 1
        while true {
            guard try directory.status(path) != nil else {
                try leave(place, in: route)
                note(route.sent)
                return nil
            }
            let kept = choices.choice(number)
            if try directory.move(path, to: route.sent, as: FilePath(kept)) {
                note(route.sent)
                try leave(place, in: route)
                return kept
            }
            number += 1
        }
    }

    /// The reason is written first and carries the job, so that after a crash in between the file's place is known.
    func keepFailed(
        _ place: SpoolPlace, as name: FileName, _ reason: FailedReason, in route: RouteDirectory
    ) throws(SpoolError) -> FileName? {
        if case .failed(let kept) = place {
            try rewrite(reason, beside: kept, in: route)
            return try route.failed.status(FilePath(kept)) == nil ? nil : kept
        }
        let (directory, path) = place.location(in: route)
        note(route.failed)
        guard try directory.status(path) != nil else {
            try leave(place, in: route)
            return try keptBefore(name, reason.job, in: route)
        }
        let choices = FreeNames(name: name)
        var number = 1
        while true {
            let kept = choices.choice(number, room: FreeNames.reasonSuffix.count)
            if try claimReason(reason, beside: kept, in: route) {
                if try directory.move(path, to: route.failed, as: FilePath(kept)) {
                    try leave(place, in: route)
                    return kept
                }
                try route.failed.remove(FilePath(FreeNames.reason(for: kept)))
            }
            number += 1
        }
    }

    /// False when the place is taken by another file. A reason without a file is left over from a crash of this job.
    private func claimReason(_ reason: FailedReason, beside kept: FileName, in route: RouteDirectory)
        throws(SpoolError) -> Bool
    {
        if try route.failed.status(FilePath(kept)) != nil { return false }
        let name = FreeNames.reason(for: kept)
        if try ReasonFile.write(reason, to: name, in: route.failed) { return true }
        guard ReasonFile.isOf(reason.job, name, in: route.failed) else { return false }
        try rewrite(reason, beside: kept, in: route)
        return true
    }

    private func rewrite(_ reason: FailedReason, beside kept: FileName, in route: RouteDirectory)
        throws(SpoolError)
    {
        let name = FreeNames.reason(for: kept)
        try route.failed.remove(FilePath(name))
        _ = try ReasonFile.write(reason, to: name, in: route.failed)
        note(route.failed)
    }

    /// The name under which the job's file was kept by an earlier call; nil when it was not.
    private func keptBefore(_ name: FileName, _ job: JobID?, in route: RouteDirectory)
        throws(SpoolError) -> FileName?
    {
        let choices = FreeNames(name: name)
        var number = 1
        while true {
            let kept = choices.choice(number, room: FreeNames.reasonSuffix.count)
            let reason = FreeNames.reason(for: kept)
            let stands = try route.failed.status(FilePath(kept)) != nil
            if stands, ReasonFile.isOf(job, reason, in: route.failed) { return kept }
            if !stands, try route.failed.status(FilePath(reason)) == nil { return nil }
            number += 1
        }
    }
}
