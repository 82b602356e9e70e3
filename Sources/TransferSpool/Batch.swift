import CLinux
import Glibc
import TransferModel

/// The files of one route that one call takes: they share a new directory below `.claimed`, so that equal names of
/// different times never meet, and names may be 255 bytes long.
struct Batch {
    private let route: RouteDirectory
    private let random: () -> UInt64
    private var made: (name: FilePath, directory: OpenDirectory)?
    private var count = 0

    init(_ route: RouteDirectory, random: @escaping () -> UInt64) {
        self.route = route
        self.random = random
    }

    /// Moves `name` into the batch; nil when it is gone. Durable after ``synchronize()``.
    mutating func take(_ name: FileName, of label: String) throws(SpoolError) -> ClaimedFile? {
        let batch = try directory()
        let path = FilePath(name)
        do throws(SpoolError) {
            guard try route.dropped.move(path, to: batch.directory, as: path) else {
                throw SpoolError(code: EEXIST, text: "the name \(name) is in its batch already")
            }
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        guard let status = try batch.directory.status(path) else { return nil }
        guard status.kind == .regular else {
            _ = try batch.directory.move(path, to: route.dropped, as: path)
            throw SpoolError(text: "it turned into \(status.kind.rawValue)")
        }
        count += 1
        return ClaimedFile(route.name, batch: batch.name, name, size: status.size, label: label)
    }

    /// On return the moves are durable; an empty batch is removed.
    func synchronize() throws(SpoolError) {
        guard let made else { return }
        guard count > 0 else {
            route.claimed.removeDirectory(made.name)
            return
        }
        try made.directory.synchronize()
        if route.fileSystem.commitsWhole { return }
        try route.claimed.synchronize()
        try route.dropped.synchronize()
    }

    private mutating func directory() throws(SpoolError) -> (name: FilePath, directory: OpenDirectory) {
        if let made { return made }
        while true {
            let digits = String(random(), radix: 16)
            let text = String(repeating: "0", count: 16 - digits.count) + digits
            guard let name = FilePath(text) else { preconditionFailure("hexadecimal digits are a name") }
            guard try route.claimed.make(name, mode: 0o700) else { continue }
            let new = (name: name, directory: try route.claimed.directory(name))
            made = new
            return new
        }
    }
}

extension ClaimedFile {
    init(_ route: FileName, batch: FilePath, _ name: FileName, size: Int64, label: String) {
        let path = FilePath(route).appending(RouteDirectory.claimedName).appending(batch).appending(name)
        self.init(
            route: label, source: SourceFile(root: .spool, path: path, name: name),
            size: ByteCount(rawValue: size))
    }
}

extension SpoolError {
    /// Whether the next file would meet the same: the disk is full, read-only or failing, or the process is at a limit.
    var concernsAll: Bool {
        [ENOSPC, EDQUOT, EROFS, EIO, EMFILE, ENFILE, ENOMEM, EXDEV, ESTALE].contains(code)
    }
}
