import Glibc
import TestServers

/// One server's way through all features: everything is handed over at once, then looked at.
struct MatrixRun: Sendable {
    let server: RealServer
    let installation: Installation
    let relay: ScriptedRelay
    /// The files to send.
    private let sources: String
    private let content = TestContent.pattern(40_000, seed: 3)
    /// 2001-02-03 04:05:06 UTC.
    private let modified = 981_173_106
    private let oddName = "two  blanks #1;type=a.bin"
    private var jobs: [Matrix.Feature: Int] = [:]
    private var row: Matrix.Row = [:]

    init(_ server: RealServer, in directory: TemporaryDirectory) throws {
        self.server = server
        relay = try ScriptedRelay(
            to: server.process.port,
            bytesPerSecond: server.kind == .openSSH ? RealServer.Kind.bytesPerSecond : nil)
        sources = try directory.makeDirectory("sources")
        installation = try Installation(directory, sections: server.section())
        try server.writeCredentials(installation, ports: [relay.port])
    }

    /// All cells; nothing is thrown for a feature that does not work.
    mutating func run() async throws -> Matrix.Row {
        let daemon = try await installation.startDaemon()
        try prepare()
        try await enqueue()
        try await checkUploads()
        try await checkResuming()
        try await checkCommands()
        try await daemon.sigterm()
        return row
    }

    // MARK: Handing over

    private func prepare() throws {
        for name in ["plain", oddName, "deep", "conflict", "commanded"] {
            try TestFile.write(content, to: "\(sources)/\(name)")
        }
        try TestFile.write([], to: "\(sources)/empty")
        var times = [timespec(tv_sec: modified, tv_nsec: 0), timespec(tv_sec: modified, tv_nsec: 0)]
        guard utimensat(AT_FDCWD, "\(sources)/plain", &times, 0) == 0 else {
            throw TestServerError("utimensat: \(String(cString: strerror(errno)))")
        }
        for policy in ["replace", "rename", "skip", "fail"] {
            try server.place(Array("old".utf8), named: "\(policy).bin")
        }
    }

    private mutating func enqueue() async throws {
        let plain = try await installation.enqueueAll(
            ["upload"] + ["plain", "empty", oddName].map { "\(sources)/\($0)" } + ["\(server.url)/"]
                + ["--option", "keep_mtime=yes"])
        (jobs[.upload], jobs[.empty], jobs[.name]) = (plain[0], plain[1], plain[2])
        jobs[.deep] = try await installation.enqueue(
            "upload", "\(sources)/deep", "\(server.url)/made/by/the%20way/")
        for policy in [Matrix.Feature.replace, .rename, .skip, .fail] {
            jobs[policy] = try await installation.enqueue(
                "upload", "\(sources)/conflict", "\(server.url)/\(policy.rawValue).bin",
                "--option", "on_conflict=\(policy.rawValue)")
        }
        if server.kind.isWeb { return }
        let command = server.kind == .openSSH ? "mkdir {path}.done" : "MKD {path}.done"
        jobs[.after] = try await installation.enqueue(
            "upload", "\(sources)/commanded", "\(server.url)/", "--option", "after_sent=\(command)")
    }

    // MARK: Looking

    private mutating func checkUploads() async throws {
        _ = try await installation.wait(Array(jobs.values), within: .seconds(30))
        for (feature, job) in jobs { row[feature] = try await cell(feature, installation.show(job)) }
        if let job = jobs[.upload] { row[.mtime] = try await timeCell(installation.show(job)) }
    }

    private func cell(_ feature: Matrix.Feature, _ line: JobLine) -> Matrix.Cell {
        let home = server.home
        if feature == .fail {
            return cell(
                line.state == "failed" && TestFile.text("\(home)/fail.bin") == "old", "\(line)")
        }
        guard line.state == "done" else { return .broken("\(line.state): \(line.error?.text ?? "")") }
        switch feature {
        case .upload: return arrived("plain")
        case .empty: return cell(TestFile.size("\(home)/empty") == 0, "it is not there, or not empty")
        case .name: return arrived(oddName)
        case .deep: return arrived("made/by/the way/deep")
        case .replace: return arrived("replace.bin")
        case .rename:
            return cell(
                arrived("rename-1.bin") == .works && TestFile.text("\(home)/rename.bin") == "old", "\(line)")
        case .skip: return cell(TestFile.text("\(home)/skip.bin") == "old", "the old file is gone")
        case .after:
            return cell(
                arrived("commanded") == .works && TestFile.exists("\(home)/commanded.done"), "\(line)")
        case .fail, .mtime, .resume, .list, .move, .remove, .make: return .broken("it is no upload")
        }
    }

    /// Cuts the connection when a good part of a large file is there, and looks whether the rest alone is sent.
    private mutating func checkResuming() async throws {
        if server.kind.isWeb {
            row[.resume] = .cannot("HTTP: a PUT begins with the first byte")
            row[.after] = .cannot("HTTP: there are no commands of a server's own")
            return
        }
        let size = server.kind == .openSSH ? 24_000_000 : 6_000_000
        let large = TestContent.pattern(size, seed: 4)
        try TestFile.write(large, to: "\(sources)/large")
        let job = try await installation.enqueue(
            "upload", "\(sources)/large", "\(server.url(port: relay.port))/")
        try await eventually("a part of the large file\(installation.logTail)", every: .milliseconds(2)) {
            server.sizeOfPart(of: "large").map { $0 > size / 4 } ?? false
        }
        relay.cutConnections()
        // vsftpd takes the rest of the data although the connection for commands is gone.
        if server.kind != .openSSH { try await server.process.restart() }
        try await eventually("the end of the first try\(installation.logTail)") {
            try await installation.show(job).error != nil
        }
        _ = try await installation.control(["retry", "\(job)"])
        _ = try await installation.wait([job], within: .seconds(20))
        let line = try await installation.show(job)
        let isWhole = TestFile.sha256("\(server.home)/large") == large.sha256
        let start = line.attemptsLog?.last?.start ?? 0
        row[.resume] = cell(
            line.state == "done" && isWhole && start > 0,
            "\(line.state), whole: \(isWhole), went on at \(start): \(line.error?.text ?? "")\(server.logTail)"
        )
    }

    private func timeCell(_ line: JobLine) -> Matrix.Cell {
        var status = stat()
        guard stat("\(server.home)/plain", &status) == 0 else { return .broken("the file is not there") }
        if status.st_mtim.tv_sec == modified { return .works }
        if let said = line.digest, said.contains("modification time not kept") {
            return .cannot("\(server.kind.rawValue): modification time not kept: the server takes none")
        }
        return .broken("it is \(status.st_mtim.tv_sec), and nothing is said of it: \(line.digest ?? "")")
    }

    private func arrived(_ name: String) -> Matrix.Cell {
        let found = TestFile.sha256("\(server.home)/\(name)")
        return cell(found == content.sha256, found == nil ? "\(name) is not there" : "\(name) differs")
    }

    private func cell(_ isRight: Bool, _ otherwise: String) -> Matrix.Cell {
        isRight ? .works : .broken(otherwise)
    }

    // MARK: Commands of a person

    private mutating func checkCommands() async throws {
        let home = server.home
        row[.make] = try await remote(["mkdir", "-p", "\(server.url)/a/b"]) { _ in
            TestFile.exists("\(home)/a/b")
        }
        row[.move] = try await remote(["mv", "\(server.url)/replace.bin", "moved #1"]) { _ in
            TestFile.exists("\(home)/moved #1") && !TestFile.exists("\(home)/replace.bin")
        }
        row[.list] = try await remote(["ls", "--json", "\(server.url)/"]) { printed in
            ["moved #1", "plain", "a", server.kind.isWeb ? "empty" : "large"].allSatisfy {
                printed.contains("\"\($0)\"")
            }
        }
        row[.remove] = try await remote(["rm", "\(server.url)/moved%20%231"]) { _ in
            !TestFile.exists("\(home)/moved #1")
        }
    }

    private func remote(_ words: [String], _ isRight: (String) -> Bool) async throws -> Matrix.Cell {
        let done = try await installation.control(["remote"] + words, within: .seconds(30))
        if server.kind == .nginx, done.errorText.contains("no WebDAV") {
            return .cannot("nginx: without PROPFIND there are no lists")
        }
        guard done.succeeded else { return .broken("\(words[0]): \(done.errorText)") }
        return cell(isRight(done.text), "\(words[0]): \(done.text)")
    }
}
