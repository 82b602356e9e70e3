internal import Glibc
internal import TransferModel

/// Where the whole answer to a form goes: a file below the directory of replies, or below one of `download_dirs`.
struct ReplyPlace: Hashable, Sendable {
    let directory: FilePath
    /// Below `directory`.
    let target: FilePath

    /// Throws for a template whose path, once filled in, is in none of these directories.
    init(_ template: NameTemplate, for job: Job, in places: Places) throws(Failure) {
        let values = TemplateValues(
            job: job,
            final: RemotePath(isAbsolute: false, names: [job.description.sources.first?.name.bytes ?? []]),
            size: job.limit?.rawValue ?? 0)
        let filled = FilePath(bytes: template.filled(values.bytes))
        let isAbsolute = template.description.hasPrefix("/")
        let components = filled?.components.filter { $0 != Array(".".utf8) } ?? []
        guard !components.isEmpty, !components.contains(Array("..".utf8)),
            let path = FilePath(bytes: Array(components.joined(separator: [UInt8(ascii: "/")])))
        else { throw Failure(.permanent, text: "'reply_file = \(template)' names no file for this job") }
        guard isAbsolute else {
            directory = places.replies
            target = path
            return
        }
        let whole = FilePath.root.appending(path)
        for directory in places.downloadDirectories {
            guard let target = whole.relative(to: directory.normalized) else { continue }
            self.directory = directory
            self.target = target
            return
        }
        throw Failure(
            .permanent, text: "'\(whole)' of 'reply_file' is not below a directory of 'download_dirs'")
    }

    /// Makes the directory of replies where it is missing, rwxrws---, and opens the target's.
    ///
    /// Blocks on the file system: call it on a disk queue.
    func open(in places: Places) throws(Failure) -> DownloadDirectory {
        if directory == places.replies {
            let isMade = directory.withCString { mkdir($0, 0o770) == 0 && chmod($0, 0o2770) == 0 }
            guard isMade || errno == EEXIST else {
                throw Failure.system("cannot make the directory '\(directory)'")
            }
        }
        var allowed = places
        allowed.downloadDirectories.append(places.replies)
        return try DownloadDirectory(
            DownloadDescription(directory: directory, target: target), in: allowed)
    }
}
