import CLinux
internal import Glibc
internal import TransferModel

/// What stands under the target's name before a download.
struct StandingFile: Hashable, Sendable {
    let size: Int64
    let modified: Timestamp
    /// Which version of the server's file it is, where that was noted.
    let noted: Checkpoint.Validator?

    /// The fields of a request that brings nothing when the server's file is this one (RFC 9110, section 13.1).
    var conditions: [String] {
        guard let noted else { return ["If-Modified-Since: \(HTTPDate.text(modified))"] }
        let tag = noted.entityTag.map { ["If-None-Match: \($0)"] } ?? []
        let time = noted.lastModified.map { ["If-Modified-Since: \($0)"] } ?? []
        return tag + time
    }

    /// Whether the server's file, of which it told time and size, is this one.
    func isSame(as told: Checkpoint.Validator, modified time: Timestamp?) -> Bool {
        if let noted {
            return told.lastModified != nil && told.lastModified == noted.lastModified
                && told.total == noted.total
        }
        guard let time, let total = told.total else { return false }
        return time <= modified && total.rawValue == size
    }
}

extension DownloadPlace {
    /// The file that stands under the target's name; nil where there is none, or where it does not matter.
    func standing(on lane: isolated Lane) async throws -> StandingFile? {
        guard wishes.isForNewer == true else { return nil }
        let place = self
        return try await lane.onDisk(disk) { () throws(Failure) in place.directory.standing(place.job.url) }
    }

    /// What the job ends with when the server's file is the one here.
    var notModified: LeftAlone {
        LeftAlone(reason: "not modified: '\(directory.path)' is the server's file already")
    }

    /// When the server's file was modified, where it told that.
    func modified(_ version: Checkpoint.Validator) -> Timestamp? {
        guard let text = version.lastModified else { return nil }
        switch address.origin.scheme {
        case .http, .https: return HTTPDate.parse(text)
        case .ftp, .ftps: return FactsLine.time(Array(text.utf8))
        case .sftp: return Int64(text).map { Timestamp(rawValue: $0 * 1000) }
        }
    }
}

extension DownloadDirectory {
    fileprivate func standing(_ address: TransferURL) -> StandingFile? {
        guard let status = status(of: target), status.st_mode & S_IFMT == S_IFREG else { return nil }
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = FilePath(target).withCString { transferd_openat(directory.descriptor, $0, flags, 0) }
        var noted: Checkpoint.Validator?
        if descriptor >= 0 {
            noted = NotedVersion.read(from: OpenFile(descriptor: descriptor, path: path), of: address, status)
        }
        let modified = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec / 1_000_000)
        return StandingFile(
            size: Int64(status.st_size), modified: Timestamp(rawValue: modified), noted: noted)
    }
}
