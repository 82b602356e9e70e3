import CLinux
import Glibc
import TestServers
import Testing
import TransferModel
import TransferSpool

/// A spool of its own with a clock that only the test moves.
final class SpoolBench {
    let root: TemporaryDirectory
    let places: Places
    let spool: Spool
    private(set) var now = MonotonicTime(rawValue: .seconds(1000))
    private let heard: Notices

    var notices: [SpoolNotice] { heard.all }

    init(
        routes: [String] = ["in"], settle: Duration = .seconds(1),
        ignore: [String] = Settings.General.defaultIgnore,
        in root: TemporaryDirectory? = nil
    ) throws {
        let root = try root ?? TemporaryDirectory()
        let heard = Notices()
        self.root = root
        self.heard = heard
        places = Places(below: try #require(FilePath(root.path)))
        spool = Spool(
            places: places, routes: try routes.map { try Self.route($0, settle: settle) }, ignore: ignore,
            log: { heard.all.append($0) })
    }

    /// A spool that is open already.
    static func opened(routes: [String] = ["in"], settle: Duration = .seconds(1)) throws -> SpoolBench {
        let bench = try SpoolBench(routes: routes, settle: settle)
        try bench.spool.open(now: bench.now)
        return bench
    }

    static func route(_ name: String, settle: Duration = .seconds(1)) throws -> RouteSettings {
        var route = RouteSettings(
            name: name, kind: .upload, url: try #require(try? TransferURL("ftp://127.0.0.1/")))
        route.settle = settle
        return route
    }

    func path(_ name: String, route: String = "in") -> String { "\(root.path)/spool/\(route)/\(name)" }

    func advance(_ time: Duration) { now = now + time }

    /// What can be taken at once.
    func take(limit: Int = 500) -> [ClaimedFile] { spool.takeReady(now: now, limit: limit) }

    /// What can be taken once everything has been quiet for the settle time.
    func takeSettled(limit: Int = 500) -> [ClaimedFile] {
        spool.eventsReady(now: now)
        advance(.seconds(1))
        return take(limit: limit)
    }

    func absolute(_ source: SourceFile) -> [UInt8] { places.spool.appending(source.path).bytes }

    func content(_ source: SourceFile) throws -> String {
        String(decoding: try TestFile.read(rawPath: absolute(source)), as: UTF8.self)
    }

    func names(_ directory: String, route: String = "in") throws -> [String] {
        try TestFile.names(in: path(directory, route: route)).map { EscapedText.escape($0) }.sorted()
    }

    func warnings(_ part: String) -> Int { notices.count { $0.text.contains(part) } }
}

final class Notices {
    var all: [SpoolNotice] = []
}

/// A file that is held open for writing until it is told to close.
final class Writer {
    private var fd: Int32

    init(_ path: String, _ flags: Int32 = O_CREAT) throws {
        fd = transferd_open(path, O_WRONLY | flags | O_CLOEXEC, 0o644)
        try #require(fd >= 0)
    }

    deinit { close() }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(Glibc.write(fd, bytes, bytes.count) == bytes.count)
    }

    func close() {
        if fd >= 0 { Glibc.close(fd) }
        fd = -1
    }
}
