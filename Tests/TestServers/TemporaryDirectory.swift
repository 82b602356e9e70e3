import Glibc

/// A directory of its own for one test, removed with all below it when the last reference goes.
///
/// Readable by everyone, since some servers serve it as `nobody`. Kept when `TRANSFERD_KEEP` is set, to look into.
public final class TemporaryDirectory: Sendable {
    /// Absolute, without a slash at its end.
    public let path: String

    /// - Parameter parent: nil: where temporary files go.
    public init(label: String = "transferd", below parent: String? = nil) throws {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/\(label).XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestServerError.system(call: "mkdtemp", path: parent) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        chmod(path, 0o755)
    }

    deinit {
        guard getenv("TRANSFERD_KEEP") == nil else { return }
        ChildProcess.spawnAndWait(["/bin/rm", "-rf", "--", path])
    }

    /// The path of `name` in this directory; nothing is made.
    public func appending(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes the directory `name` below this one, with its parents, and returns its path.
    @discardableResult
    public func makeDirectory(_ name: String, mode: UInt32 = 0o755) throws -> String {
        var made = path
        for segment in name.split(separator: "/") {
            made += "/\(segment)"
            guard mkdir(made, mode) == 0 || errno == EEXIST else {
                throw TestServerError.system(call: "mkdir", path: made)
            }
        }
        return made
    }

    /// Writes a whole file `name` below this directory and returns its path.
    @discardableResult
    public func write(_ content: [UInt8], to name: String, mode: UInt32 = 0o644) throws -> String {
        try TestFile.write(content, to: appending(name), mode: mode)
        return appending(name)
    }

    /// Writes a whole text file `name` below this directory and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String, mode: UInt32 = 0o644) throws -> String {
        try write(Array(text.utf8), to: name, mode: mode)
    }
}

/// Runs `body` with a directory of its own that lives exactly as long.
public func withTemporaryDirectory<Result>(
    _ body: (TemporaryDirectory) async throws -> Result
) async throws -> Result {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory)
}
