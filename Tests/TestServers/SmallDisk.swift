import Glibc

/// A file system of little room, mounted where nobody else sees it; it goes with the program that does.
public final class SmallDisk: Sendable {
    /// Its directory, as other programs reach it.
    public let path: String
    private let holder: ChildProcess

    private init(path: String, holder: ChildProcess) {
        self.path = path
        self.holder = holder
    }

    /// Mounts one; nil where nothing can be mounted.
    public static func mount(at place: String, size: String) async throws -> SmallDisk? {
        guard let launcher = try await launcher(at: place, size: size) else { return nil }
        let holder = try ChildProcess.spawn(launcher + ["sleep", "infinity"])
        try await eventually("the mount") {
            TestFile.text("/proc/\(holder.pid)/mounts").contains(" \(place) tmpfs ")
        }
        return SmallDisk(path: path(of: place, in: holder.pid), holder: holder)
    }

    /// The words of a program that mounts one at `place` and becomes what stands behind them; nil where nothing can be
    /// mounted.
    public static func launcher(at place: String, size: String) async throws -> [String]? {
        let unshare = ["unshare", "--mount"] + (geteuid() == 0 ? [] : ["--map-root-user"])
        let script = "mount -t tmpfs -o size=\(size) tmpfs \"$0\" && exec \"$@\""
        let launcher = unshare + ["sh", "-c", script, place]
        return try await ChildProcess.run(launcher + ["true"]).succeeded ? launcher : nil
    }

    /// How others reach a path as a process sees it.
    public static func path(of place: String, in process: Int32) -> String { "/proc/\(process)/root\(place)" }
}
