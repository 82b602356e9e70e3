import CLinux
import Glibc
public import TransferModel

/// The files that `transferctl` handed over, each in a directory of its own below `intake`.
///
/// They go with their job; after a failure they stay for a while, so that `retry` finds them: a file `ended.JOB` in
/// the directory says since when.
extension Spool {
    private static let mark = "ended."

    func disposeIntake(_ source: SourceFile, as disposal: Disposal) throws(SpoolError) -> SourceFile? {
        guard let token = source.path.components.first.flatMap(FileName.init(bytes:)) else {
            throw SpoolError(text: "the source \(source.path) is no place in the intake")
        }
        let intake = try OpenDirectory.open(places.intake)
        guard try intake.status(FilePath(token))?.kind == .directory else { return nil }
        switch disposal {
        case .delete, .archive:
            try removeIntake(token, from: intake)
            return nil
        case .keepFailed(let reason):
            let own = try intake.directory(FilePath(token))
            if let job = reason.job, let name = FileName(Self.mark + job.description) {
                _ = try ReasonFile.write(reason, to: name, in: own)
                note(own)
            }
            return source
        }
    }

    /// Deletes what jobs left in the intake that failed more than `age` ago, unless `isNeeded` says that one of them
    /// has been taken up again.
    public func sweepIntake(
        olderThan age: Duration, now: Timestamp, isNeeded: (JobID) -> Bool
    ) throws(SpoolError) {
        let intake = try OpenDirectory.open(places.intake)
        for token in try intake.names() {
            guard try intake.status(FilePath(token))?.kind == .directory else { continue }
            let ended = try end(of: intake.directory(FilePath(token)))
            guard let ended, now.since(ended.time) > age, !isNeeded(ended.job) else { continue }
            try removeIntake(token, from: intake)
        }
        try synchronize()
    }

    /// Deletes copies that nobody has touched for `age` and that belong to no job: who made them was killed before the
    /// job was recorded.
    ///
    /// Does nothing while anybody hands something over, which a lock on the directory tells. `known` reads the
    /// directories of all jobs that are not disposed of, and is called only when there is something to ask about.
    public func sweepForgotten(
        olderThan age: Duration, now: Timestamp, known: () -> Set<FileName>?
    ) throws(SpoolError) {
        let intake = try OpenDirectory.open(places.intake)
        guard transferd_flock(intake.fd, LOCK_EX | LOCK_NB) == 0 else { return }
        var forgotten: [FileName] = []
        for token in try intake.names() where try isOld(token, in: intake, age, now) {
            forgotten.append(token)
        }
        guard !forgotten.isEmpty, let known = known() else { return }
        for token in forgotten where !known.contains(token) {
            try removeIntake(token, from: intake)
            log(SpoolNotice(.warning, "Removed a copy of an 'enqueue' that never ended name=\(token)"))
        }
        try synchronize()
    }

    /// Whether `token` is a directory that a job would have, of no job that has ended, and without a recent change.
    private func isOld(
        _ token: FileName, in intake: OpenDirectory, _ age: Duration, _ now: Timestamp
    ) throws(SpoolError) -> Bool {
        guard let status = try intake.status(FilePath(token)), status.kind == .directory else { return false }
        let limit = (now + (.zero - age)).rawValue
        guard status.look.changed / 1_000_000 < limit else { return false }
        let own = try intake.directory(FilePath(token))
        for name in try own.names() {
            guard !name.description.hasPrefix(Self.mark), let file = try own.status(FilePath(name)),
                file.look.changed / 1_000_000 < limit
            else { return false }
        }
        return true
    }

    /// The job that ended last of those the directory belonged to, and when.
    private func end(of directory: OpenDirectory) throws(SpoolError) -> (job: JobID, time: Timestamp)? {
        var found: (job: JobID, time: Timestamp)?
        for name in try directory.names() where name.description.hasPrefix(Self.mark) {
            guard let id = Int64(name.description.dropFirst(Self.mark.count)) else { continue }
            guard let status = try directory.status(FilePath(name)) else { continue }
            let time = Timestamp(rawValue: status.look.modified / 1_000_000)
            if time >= found?.time ?? time { found = (JobID(rawValue: id), time) }
        }
        return found
    }

    private func removeIntake(_ token: FileName, from intake: OpenDirectory) throws(SpoolError) {
        let own = try intake.directory(FilePath(token))
        for name in try own.names() { try own.remove(FilePath(name)) }
        guard intake.removeDirectory(FilePath(token)) else {
            throw intake.failed("cannot delete the directory", FilePath(token))
        }
        note(intake)
    }
}
