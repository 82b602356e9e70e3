import TransferModel

/// What `transferd.service` hides from the daemon: ProtectHome, PrivateTmp and ProtectSystem=strict, systemd.exec(5).
struct UnitSandbox {
    /// Whether this process is the service.
    let isInside: Bool
    /// Whether the configuration is the one the service runs by.
    let isForService: Bool
    /// What drop-ins of the unit open already.
    let opened: [FilePath]

    static let dropInDirectory = FilePath.root.appending("etc/systemd/system/transferd.service.d")

    init(_ settings: Settings, environment: [String: String], dropIns: FilePath = dropInDirectory) {
        isInside = environment["NOTIFY_SOCKET"] != nil
        isForService = settings.places.state == Places.defaultState
        opened = isForService ? Self.opened(by: dropIns) : []
    }

    /// The line that opens `path` to the daemon; nil when the unit does not hide it, or a drop-in opens it.
    func line(for path: FilePath, _ need: DirectoryCheck.Need) -> String? {
        guard isInside || isForService, !Self.contains(Places.defaultState, path) else { return nil }
        guard !opened.contains(where: { Self.contains($0, path) }) else { return nil }
        if Self.hidden.contains(where: { Self.contains($0, path) }) {
            return need == .write ? "BindPaths=\(path)" : "BindReadOnlyPaths=\(path)"
        }
        return need == .write ? "ReadWritePaths=\(path)" : nil
    }

    /// What to do about it, as the end of a sentence.
    static func advice(_ line: String) -> String {
        "add '\(line)' to a drop-in: systemctl edit transferd"
    }

    private static let hidden: [FilePath] = [
        "home", "root", "run/user", "tmp", "var/tmp",
    ].map { (name: StaticString) in FilePath.root.appending(name) }

    private static func contains(_ directory: FilePath, _ path: FilePath) -> Bool {
        path == directory || path.relative(to: directory) != nil
    }

    private static func opened(by directory: FilePath) -> [FilePath] {
        let files = (try? DropIns.files(in: directory)) ?? []
        return files.flatMap { file in
            let text = (try? FileContent(of: file)).map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
            return text.split(separator: "\n").flatMap(paths)
        }
    }

    private static func paths(in line: Substring) -> [FilePath] {
        let keys = ["ReadWritePaths=", "BindPaths=", "BindReadOnlyPaths="]
        guard let key = keys.first(where: line.hasPrefix) else { return [] }
        return line.dropFirst(key.count).split(separator: " ").compactMap { word in
            let source = word.drop { $0 == "-" || $0 == "+" }.prefix { $0 != ":" }
            return FilePath(String(source))?.normalized
        }
    }
}
