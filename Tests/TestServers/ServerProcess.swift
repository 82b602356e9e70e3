import Synchronization

/// A server program on a port of its own: started until the port answers, stopped by its process id.
public final class ServerProcess: Sendable {
    public let port: UInt16
    /// The file that the program's standard output and error go to.
    public let output: String
    private let name: String
    private let arguments: [String]
    private let environment: [String: String]
    private let child: Mutex<ChildProcess?>

    private init(
        name: String, port: UInt16, output: String, arguments: [String], environment: [String: String],
        child: ChildProcess
    ) {
        self.name = name
        self.port = port
        self.output = output
        self.arguments = arguments
        self.environment = environment
        self.child = Mutex(child)
    }

    /// Starts a server on a free port, another one when somebody took the port first.
    ///
    /// - Parameter arguments: writes the configuration for the given port and returns the command line.
    static func start(
        _ name: String, in directory: TemporaryDirectory, environment: [String: String] = [:],
        arguments: (UInt16) throws -> [String]
    ) async throws -> ServerProcess {
        var reason: any Error = TestServerError("\(name) was not started")
        for _ in 0..<3 {
            let port = try Loopback.freePort()
            let output = directory.appending("\(name)-\(port).out")
            let line = try arguments(port)
            do {
                let child = try await launch(
                    name, line, environment: environment, port: port, output: output)
                return ServerProcess(
                    name: name, port: port, output: output, arguments: line, environment: environment,
                    child: child)
            } catch {
                reason = error
            }
        }
        throw reason
    }

    private static func launch(
        _ name: String, _ arguments: [String], environment: [String: String], port: UInt16, output: String
    ) async throws -> ChildProcess {
        let child = try ChildProcess.spawnServer(arguments, environment: environment, output: output)
        try await eventually("\(name) at port \(port)", timeout: .seconds(20)) {
            guard child.isRunning else {
                throw TestServerError("\(name) ended at once: \(TestFile.text(output))")
            }
            return Loopback.answers(port)
        }
        return child
    }

    /// The process id while the server runs.
    public var pid: Int32? { child.withLock { $0?.pid } }

    /// Stops the server; its port refuses connections from then on.
    public func stop() async {
        let running = child.withLock { child in
            defer { child = nil }
            return child
        }
        await running?.terminate(grace: .seconds(2))
    }

    /// Starts the server again on the same port, after `stop`.
    public func restart() async throws {
        await stop()
        let fresh = try await Self.launch(
            name, arguments, environment: environment, port: port, output: output)
        child.withLock { $0 = fresh }
    }
}
