import CLinux
import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferSpool

/// A spool of its own with a clock that only the test moves.
final class SpoolBench {
    let root: TemporaryDirectory
    let places: Places
    let spool: Spool
    private(set) var now = MonotonicTime(rawValue: .seconds(1000))
    private let heard: Notices
    private let writers = Writers()

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
        let writers = writers
        spool.probe = { Self.probe($0, writers) }
    }

    /// A child that another test is just starting holds copies of all descriptors for a moment: a writer is believed
    /// only where this test has one.
    private static func probe(_ fd: Int32, _ writers: Writers) -> ReadLease {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let answer = ReadLease.probe(fd)
            guard case .writer = answer, writers.count == 0, ContinuousClock.now < deadline else {
                return answer
            }
            sched_yield()
        }
    }

    /// A writer of the file at an absolute path.
    func writer(_ path: String, _ flags: Int32 = O_CREAT) throws -> Writer {
        try Writer(path, flags, writers)
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
    func take(limit: Int = 500) -> [ClaimedFile] {
        hearCloses()
        return spool.takeReady(now: now, limit: limit)
    }

    /// Reads the news; where this test has no writer, until every close is in: for the same reason as the probe.
    private func hearCloses() {
        let deadline = ContinuousClock.now + .seconds(60)
        spool.eventsReady(now: now)
        while writers.count == 0, spool.routes.contains(where: { $0.settling.awaitingClose > 0 }),
            ContinuousClock.now < deadline
        {
            sched_yield()
            spool.eventsReady(now: now)
        }
    }

    /// What can be taken once everything has been quiet for the settle time.
    func takeSettled(limit: Int = 500) -> [ClaimedFile] {
        hearCloses()
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

/// How many files a test holds open for writing.
final class Writers {
    var count = 0
}

/// A file that is held open for writing until it is told to close.
final class Writer {
    private var fd: Int32
    private let writers: Writers

    init(_ path: String, _ flags: Int32, _ writers: Writers) throws {
        self.writers = writers
        fd = transferd_open(path, O_WRONLY | flags | O_CLOEXEC, 0o644)
        try #require(fd >= 0)
        writers.count += 1
    }

    deinit { close() }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(Glibc.write(fd, bytes, bytes.count) == bytes.count)
    }

    func close() {
        guard fd >= 0 else { return }
        Glibc.close(fd)
        fd = -1
        writers.count -= 1
    }
}
