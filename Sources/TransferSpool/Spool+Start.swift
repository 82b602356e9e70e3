import CLinux
import Glibc
public import TransferModel

extension Spool {
    /// At start: the claimed files that no recorded job knows, in the order they were claimed.
    ///
    /// - Parameter known: the paths below the spool of the sources of every job that is not disposed of.
    public func unrecorded(known: Set<FilePath>) -> [ClaimedFile] {
        var found: [(changed: Int64, file: ClaimedFile)] = []
        for route in routes {
            guard let directory = route.directory else { continue }
            do throws(SpoolError) {
                for batch in try directory.claimed.names() {
                    found += try files(in: FilePath(batch), directory, route.label)
                    directory.claimed.removeDirectory(FilePath(batch))
                }
            } catch {
                log(SpoolNotice(.error, "Claimed files cannot be read: \(error) route=\(route.label)"))
            }
        }
        return found.filter { !known.contains($0.file.source.path) }
            .sorted { $0.changed < $1.changed }.map(\.file)
    }

    private func files(in batch: FilePath, _ route: RouteDirectory, _ label: String)
        throws(SpoolError) -> [(Int64, ClaimedFile)]
    {
        guard try route.claimed.status(batch)?.kind == .directory else { return [] }
        let directory = try route.claimed.directory(batch)
        var files: [(Int64, ClaimedFile)] = []
        for name in try directory.names() {
            guard let status = try directory.status(FilePath(name)), status.kind == .regular else { continue }
            let file = ClaimedFile(route.name, batch: batch, name, size: status.size, label: label)
            files.append((status.look.changed, file))
        }
        return files
    }

    /// At start, before the first ``takeReady(now:limit:)``: whether the source of a recorded job is in its place.
    ///
    /// After a power failure on a file system that ignores fsync the file may be back where it was dropped: it is moved
    /// again, durably.
    public func recover(_ source: SourceFile) -> Bool {
        guard source.root == .spool, let (route, place) = SpoolPlace.parse(source.path) else { return false }
        guard let held = routes.first(where: { $0.name == route })?.directory else { return false }
        let (directory, path) = place.location(in: held)
        do throws(SpoolError) {
            if try directory.status(path) != nil { return true }
            guard case .claimed(let batch, let name) = place else { return false }
            guard try held.dropped.status(FilePath(name))?.kind == .regular else { return false }
            _ = try held.claimed.make(FilePath(batch), mode: 0o700)
            let target = try held.claimed.directory(FilePath(batch))
            guard try held.dropped.move(FilePath(name), to: target, as: FilePath(name)) else { return false }
            for changed in [target, held.claimed, held.dropped] { try changed.synchronize() }
            return true
        } catch {
            log(SpoolNotice(.error, "A claimed file cannot be put in its place: \(error)"))
            return false
        }
    }
}
