import Synchronization

/// The files of a scripted FTP server: absolute names of bytes, contents in memory.
public final class FTPFiles: Sendable {
    /// As in a UNIX file system: names lead to files, and who has opened one writes to it, wherever its name went.
    private struct State {
        var files: [[UInt8]: Int] = [:]
        var contents: [Int: [UInt8]] = [:]
        var directories: Set<[UInt8]> = [[0x2f]]

        func content(_ path: [UInt8]) -> [UInt8]? { files[path].flatMap { contents[$0] } }

        /// The file at `path`, made where there is none.
        mutating func open(_ path: [UInt8]) -> Int {
            if let file = files[path] { return file }
            let file = contents.count
            contents[file] = []
            files[path] = file
            return file
        }
    }

    private let state = Mutex(State())

    init() {}

    /// The content of the file at an absolute path, such as `/in/a.txt`.
    public subscript(path: String) -> [UInt8]? {
        get { self[raw: Array(path.utf8)] }
        set { self[raw: Array(path.utf8)] = newValue }
    }

    /// As the other subscript, for a path of any bytes.
    public subscript(raw path: [UInt8]) -> [UInt8]? {
        get { state.withLock { $0.content(path) } }
        set {
            state.withLock { state in
                if let newValue {
                    state.contents[state.open(path)] = newValue
                } else {
                    state.files[path] = nil
                }
            }
        }
    }

    /// The absolute paths of all files, sorted by their bytes.
    public var paths: [[UInt8]] {
        state.withLock { state in state.files.keys.sorted { $0.lexicographicallyPrecedes($1) } }
    }

    /// The absolute paths of all files as text, sorted by their bytes.
    public var names: [String] { paths.map { String(decoding: $0, as: UTF8.self) } }

    /// Makes a directory; false when the name is taken or its parent missing.
    @discardableResult
    public func makeDirectory(_ path: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.directories.contains(Self.parent(path)), state.files[path] == nil else {
                return false
            }
            return state.directories.insert(path).inserted
        }
    }

    /// Whether a directory of that absolute path is there.
    public func isDirectory(_ path: [UInt8]) -> Bool { state.withLock { $0.directories.contains(path) } }

    func hasParent(_ path: [UInt8]) -> Bool { isDirectory(Self.parent(path)) }

    /// Opens a file to add to its first `count` bytes, nil: to all that it has.
    func open(_ path: [UInt8], keeping count: Int?) -> Int {
        state.withLock { state in
            let file = state.open(path)
            if let count { state.contents[file] = Array((state.contents[file] ?? []).prefix(count)) }
            return file
        }
    }

    func append(_ bytes: [UInt8], to file: Int) {
        state.withLock { $0.contents[file, default: []] += bytes }
    }

    func remove(_ path: [UInt8]) -> Bool { state.withLock { $0.files.removeValue(forKey: path) != nil } }

    func removeDirectory(_ path: [UInt8]) -> Bool {
        state.withLock { state in
            let inUse = state.files.keys.contains { Self.parent($0) == path }
            return !inUse && state.directories.remove(path) != nil
        }
    }

    /// As rename(2) for files: what has the new name is replaced, unless it is a directory.
    func rename(_ from: [UInt8], to: [UInt8]) -> Bool {
        state.withLock { state in
            guard let content = state.files[from], state.directories.contains(Self.parent(to)),
                !state.directories.contains(to)
            else {
                return false
            }
            state.files[from] = nil
            state.files[to] = content
            return true
        }
    }

    /// The names in a directory: whether each is a directory, and its size.
    func entries(of directory: [UInt8]) -> [(name: [UInt8], isDirectory: Bool, size: Int)] {
        state.withLock { state in
            let files = state.files.filter { Self.parent($0.key) == directory }
            let directories = state.directories.filter { $0 != [0x2f] && Self.parent($0) == directory }
            let all =
                files.map { file in
                    let size = state.contents[file.value]?.count ?? 0
                    return (name: Self.last(file.key), isDirectory: false, size: size)
                }
                + directories.map { (name: Self.last($0), isDirectory: true, size: 0) }
            return all.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        }
    }

    /// The absolute path of `name` seen from `directory`, without `.`, `..` and doubled slashes.
    static func resolve(_ name: [UInt8], from directory: [UInt8]) -> [UInt8] {
        let whole = name.first == 0x2f ? name : directory + [0x2f] + name
        var segments: [ArraySlice<UInt8>] = []
        for segment in whole.split(separator: 0x2f) {
            if segment == [0x2e, 0x2e] {
                _ = segments.popLast()
            } else if segment != [0x2e] {
                segments.append(segment)
            }
        }
        return [0x2f] + Array(segments.joined(separator: [0x2f]))
    }

    private static func parent(_ path: [UInt8]) -> [UInt8] {
        let slash = path.lastIndex(of: 0x2f) ?? 0
        return slash == 0 ? [0x2f] : Array(path[..<slash])
    }

    private static func last(_ path: [UInt8]) -> [UInt8] {
        path.lastIndex(of: 0x2f).map { Array(path[($0 + 1)...]) } ?? path
    }
}
