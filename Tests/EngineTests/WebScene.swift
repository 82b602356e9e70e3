import Synchronization
import TestServers
import TransferEngine
import TransferModel

/// A scripted web server with a memory of what was stored, and a lane to it.
final class WebScene: Sendable {
    struct Stored: Sendable {
        var length: Int
        /// As Last-Modified says it; nil: not told.
        var modified: String?
    }

    fileprivate struct State {
        var files: [String: Stored] = [:]
        var directories: Set<String> = ["/"]
    }

    fileprivate final class Memory: Sendable {
        let state = Mutex(State())
    }

    let server: ScriptedHTTPServer
    let rig: LaneRig
    private let memory: Memory

    /// - Parameters:
    ///   - directories: of the server, each with a slash at its end; nil: every PUT finds its directory.
    ///   - script: what is done otherwise; nil: right, as a WebDAV server does it.
    init(
        _ wish: (inout DeliveryWishes) throws -> Void, directories: Set<String>? = nil,
        login: CredentialsTable.Login = .anonymous,
        script: @escaping @Sendable (HTTPRequest, WebScene.Files) -> HTTPBehaviour? = { _, _ in nil }
    ) throws {
        var settings = OriginSettings(name: "test")
        settings.stallTimeout = .seconds(5)
        try wish(&settings.delivery)
        let memory = Memory()
        self.memory = memory
        if let directories { memory.state.withLock { $0.directories = directories } }
        let files = Files(memory: memory, hasDirectories: directories != nil)
        server = try ScriptedHTTPServer { request in script(request, files) ?? files.answer(request) }
        rig = try LaneRig(TemporaryDirectory(), url: server.url, settings: settings, login: login)
    }

    convenience init(
        directories: Set<String>? = nil, login: CredentialsTable.Login = .anonymous,
        script: @escaping @Sendable (HTTPRequest, WebScene.Files) -> HTTPBehaviour? = { _, _ in nil }
    ) throws {
        try self.init({ _ in }, directories: directories, login: login, script: script)
    }

    /// What stands at the server.
    var files: Files { Files(memory: memory, hasDirectories: false) }

    func upload(_ count: Int, to path: String = "/in.bin") throws -> Job {
        try rig.upload(rig.source(.pattern(count)), to: server.url + path)
    }

    func run(_ count: Int, to path: String = "/in.bin") async throws -> Ended {
        await rig.run(try upload(count, to: path))
    }

    /// Each request as `METHOD TARGET`.
    var asked: [String] { server.requests.map { "\($0.method) \($0.target)" } }

    func requests(_ method: String) -> [HTTPRequest] { server.requests.filter { $0.method == method } }

    /// The files of a server that does everything right.
    struct Files: Sendable {
        fileprivate let memory: Memory
        fileprivate let hasDirectories: Bool

        subscript(target: String) -> Stored? {
            get { memory.state.withLock { $0.files[target] } }
            nonmutating set { memory.state.withLock { $0.files[target] = newValue } }
        }

        var names: [String] { memory.state.withLock { $0.files.keys.sorted() } }
        var directories: Set<String> { memory.state.withLock { $0.directories } }
        func add(directory: String) { memory.state.withLock { _ = $0.directories.insert(directory) } }

        func answer(_ request: HTTPRequest) -> HTTPBehaviour {
            switch request.method {
            case "PUT": put(request)
            case "HEAD": head(request)
            case "MOVE": move(request)
            case "DELETE": HTTPBehaviour(status: remove(request.target) ? 204 : 404)
            case "MKCOL": make(request.target)
            case "OPTIONS": HTTPBehaviour(headers: [HTTPHeader("DAV", "1, 2")])
            case _: HTTPBehaviour(status: 405)
            }
        }

        func put(_ request: HTTPRequest) -> HTTPBehaviour {
            guard !lacksDirectory(request.target) else { return HTTPBehaviour(status: 409) }
            guard self[request.target] == nil || request.header("If-None-Match") != "*" else {
                return HTTPBehaviour(status: 412)
            }
            let length = request.header("Content-Length").flatMap(Int.init) ?? -1
            let isNew = self[request.target] == nil
            self[request.target] = Stored(length: length)
            return HTTPBehaviour(status: isNew ? 201 : 204)
        }

        private func lacksDirectory(_ target: String) -> Bool {
            let directory =
                target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
                .dropLast().joined(separator: "/") + "/"
            return hasDirectories && !directories.contains(directory)
        }

        private func head(_ request: HTTPRequest) -> HTTPBehaviour {
            guard let found = self[request.target] else { return HTTPBehaviour(status: 404) }
            var behaviour = HTTPBehaviour(
                headers: found.modified.map { [HTTPHeader("Last-Modified", $0)] } ?? [])
            behaviour.announces = .falseLength(found.length)
            return behaviour
        }

        private func move(_ request: HTTPRequest) -> HTTPBehaviour {
            let destination = request.header("Destination") ?? ""
            let path = "/" + destination.split(separator: "/").dropFirst(2).joined(separator: "/")
            guard let found = self[request.target] else { return HTTPBehaviour(status: 404) }
            guard !lacksDirectory(path) else { return HTTPBehaviour(status: 409) }
            guard self[path] == nil || request.header("Overwrite") != "F" else {
                return HTTPBehaviour(status: 412)
            }
            let isNew = self[path] == nil
            self[request.target] = nil
            self[path] = found
            return HTTPBehaviour(status: isNew ? 201 : 204)
        }

        private func remove(_ target: String) -> Bool {
            memory.state.withLock { $0.files.removeValue(forKey: target) != nil }
        }

        private func make(_ target: String) -> HTTPBehaviour {
            guard !directories.contains(target) else { return HTTPBehaviour(status: 405) }
            let parent = target.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/"
            guard directories.contains(parent) else { return HTTPBehaviour(status: 409) }
            add(directory: target)
            return HTTPBehaviour(status: 201)
        }
    }
}
