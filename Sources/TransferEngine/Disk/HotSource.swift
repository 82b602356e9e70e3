internal import CLinux
internal import Glibc
internal import Synchronization
internal import TransferModel

/// A small source that the kernel has in memory: opened and read without waiting for a disk, so that a lane may do it
/// itself. A visit to a disk queue costs two changes of threads, which is much for a file of a few kilobytes.
struct HotSource: Sendable {
    let file: OpenFile
    let identity: FileIdentity
    /// All of the file, ready to be sent.
    let buffers: FixedBuffers

    /// Larger files are worth the visit.
    static let largest: Int64 = 65_536
}

extension SourceOpener {
    /// nil when any step could wait, or fails: then the disk queue is to try, and to say what is wrong.
    ///
    /// RESOLVE_CACHED of openat2(2) walks only through what the kernel remembers, RWF_NOWAIT of preadv2(2) reads only what
    /// it holds. Both are about disks: a file system that asks another machine or process when a file is opened is left
    /// out.
    func openHot(_ source: SourceFile) -> HotSource? {
        let root = places.directory(of: source.root)
        guard let place = LocalDirectories.kind(of: root) else { return nil }
        let directory = root.withCString {
            transferd_openat2(
                AT_FDCWD, $0, UInt64(Self.pathOnly | O_DIRECTORY | O_CLOEXEC), 0, UInt64(RESOLVE_CACHED))
        }
        guard directory >= 0 else { return nil }
        defer { close(directory) }
        let resolve = Self.resolve | UInt64(RESOLVE_CACHED | RESOLVE_NO_XDEV)
        let descriptor = source.path.withCString { transferd_openat2(directory, $0, Self.flags, 0, resolve) }
        guard descriptor >= 0 else { return nil }
        return read(OpenFile(descriptor: descriptor, path: root.appending(source.path)), place)
    }

    private func read(_ file: OpenFile, _ place: LocalDirectories.Kind) -> HotSource? {
        guard let status = try? file.status(), status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= HotSource.largest
        else { return nil }
        let identity = FileIdentity(status)
        let buffers = FixedBuffers.holding(identity.size.rawValue)
        guard fill(buffers, from: file, count: Int(identity.size.rawValue), place),
            (try? file.requireUnchanged(since: identity)) != nil
        else { return nil }
        buffers.finish()
        return HotSource(file: file, identity: identity, buffers: buffers)
    }

    private func fill(
        _ buffers: FixedBuffers, from file: OpenFile, count: Int, _ place: LocalDirectories.Kind
    ) -> Bool {
        guard count > 0 else { return true }
        guard let space = buffers.space(), space.count >= count else { return false }
        let got =
            switch place {
            case .disk: transferd_read_hot(file.descriptor, space.baseAddress, UInt(count), 0)
            case .memory: pread(file.descriptor, space.baseAddress, count, 0)
            }
        guard got == count else { return false }
        buffers.filled(count)
        return true
    }
}

/// The directories of sources that lie on file systems of this machine; found out on disk queues, since asking can block.
enum LocalDirectories {
    enum Kind: Hashable {
        case disk
        /// All that is there is in memory; it does not know of RWF_NOWAIT.
        case memory
    }

    private static let known = Mutex<[FilePath: Kind?]>([:])

    /// ext2 to ext4, XFS, Btrfs, F2FS. Source: statfs(2).
    private static let disks: Set<Int> = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010]
    private static let temporary = 0x0102_1994

    /// nil for others, and when nobody has looked yet.
    static func kind(of directory: FilePath) -> Kind? { known.withLock { $0[directory] ?? nil } }

    /// Looks once; `descriptor` is the open directory.
    static func note(_ directory: FilePath, _ descriptor: Int32) {
        guard known.withLock({ $0[directory] == nil }), let type = type(descriptor) else { return }
        known.withLock { $0[directory] = .some(kind(type)) }
    }

    /// That of the file system of an open file; nil for others. May wait for it.
    static func kind(ofOpen descriptor: Int32) -> Kind? { type(descriptor).flatMap(kind) }

    private static func type(_ descriptor: Int32) -> Int? {
        var status = statfs()
        return fstatfs(descriptor, &status) == 0 ? Int(status.f_type) : nil
    }

    private static func kind(_ type: Int) -> Kind? {
        type == temporary ? .memory : disks.contains(type) ? .disk : nil
    }
}
