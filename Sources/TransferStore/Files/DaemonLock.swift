internal import CLinux
internal import Glibc
internal import TransferModel

/// Proves that its holder is the only daemon on a job table: a lock on the file `lock`, held as long as the value lives.
///
/// The lock belongs to the open file description, so that it goes with the process however that ends: fcntl(2).
final class DaemonLock {
    private let descriptor: Int32

    /// Takes the lock or throws ``StoreError/unusable(_:)``, naming the process that has it.
    init(_ path: FilePath) throws(StoreError) {
        let descriptor = SystemCalls.open(path, O_RDWR | O_CREAT, mode: 0o660)
        guard descriptor >= 0 else {
            throw .environment("cannot open \(path): \(SystemCalls.words())")
        }
        guard transferd_lock_file(descriptor) == 0 else {
            let failed = errno
            close(descriptor)
            guard failed == EAGAIN || failed == EACCES else {
                throw .environment("cannot lock \(path): \(SystemCalls.words(failed))")
            }
            throw .unusable(
                "\(Self.holder(of: path)) works on this job table already; stop it first (\(path))")
        }
        // Clients of the group must be able to look; fails for a file that another user made, which is as it should be.
        fchmod(descriptor, 0o660)
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, text, text.count, 0)
        self.descriptor = descriptor
    }

    deinit {
        _ = transferd_unlock_file(descriptor)
        close(descriptor)
    }

    /// Whether somebody holds the lock; a lock that cannot be looked at counts as held.
    static func isHeld(_ path: FilePath) -> Bool {
        let descriptor = SystemCalls.open(path, O_RDONLY)
        guard descriptor >= 0 else { return errno != ENOENT }
        defer { close(descriptor) }
        return transferd_is_file_locked(descriptor) != 0
    }

    private static func holder(of path: FilePath) -> String {
        let text = SystemCalls.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
        guard let process = text?.split(separator: "\n").first.flatMap({ Int($0) }) else {
            return "another transferd"
        }
        return ProcessName.describe(process)
    }
}
