import Synchronization

/// A web server that does what its script says for each request and remembers every request.
public final class ScriptedHTTPServer: Sendable {
    private let listener: ScriptedListener
    private let script: @Sendable (HTTPRequest) -> HTTPBehaviour
    private let isSecured: Bool
    private let received = Mutex<[HTTPRequest]>([])
    private let count = Atomic<Int>(0)
    private let added = Atomic<Int>(0)

    /// Serves at once; `script` is asked when a request's head has come, before its body.
    ///
    /// - Parameter tls: what every connection begins with.
    public init(
        port: UInt16? = nil, tls: ScriptedTLS? = nil,
        script: @escaping @Sendable (HTTPRequest) -> HTTPBehaviour
    ) throws {
        listener = try ScriptedListener(port: port)
        self.script = script
        isSecured = tls != nil
        listener.start { [weak self] stream, number in
            if let tls, !stream.secure(by: tls) { return }
            while let self, serve(&stream, number) {}
        }
    }

    deinit { listener.stop() }

    public var port: UInt16 { listener.port }
    /// `http://127.0.0.1:PORT`, or `https:`.
    public var url: String { "\(isSecured ? "https" : "http")://127.0.0.1:\(port)" }
    /// The requests so far, each when its body was read, in that order.
    public var requests: [HTTPRequest] { received.withLock { $0 } }
    /// Connections taken so far.
    public var connections: Int { listener.connections }
    /// Connections open now.
    public var openConnections: Int { listener.openConnections }

    /// How often ``HTTPBehaviour/adds`` was said.
    public var additions: Int { added.load(ordering: .relaxed) }

    /// Refuses new connections and ends the open ones.
    public func stop() { listener.stop() }

    /// Serves one request; false when the connection is at its end.
    private func serve(_ stream: inout ScriptedStream, _ number: Int) -> Bool {
        guard var request = readHead(&stream, number) else { return false }
        let behaviour = script(request)
        readBody(&stream, of: &request, as: behaviour.reads)
        received.withLock { $0.append(request) }
        listener.wait(behaviour.delay)
        let sent = !behaviour.answers || answer(stream, request, behaviour)
        stream.tellsEnd = !behaviour.omitsEnd
        switch behaviour.ending {
        case .keepsAlive:
            add(behaviour.adds, stream)
            return sent && request.isWhole
        case .closes:
            if !request.isWhole { stream.awaitClosing() }
            return false
        case .resets:
            stream.resetAtClose()
            return false
        case .stalls:
            stream.drain()
            return false
        }
    }

    private func add(_ words: String, _ stream: borrowing ScriptedStream) {
        guard !words.isEmpty else { return }
        // In one piece with the answer they would be dropped with it.
        listener.wait(.milliseconds(50))
        stream.send(words)
        added.wrappingAdd(1, ordering: .relaxed)
    }

    private func readHead(_ stream: inout ScriptedStream, _ number: Int) -> HTTPRequest? {
        guard let first = stream.readLine() else { return nil }
        let words = String(decoding: first, as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        var headers: [HTTPHeader] = []
        while let line = stream.readLine(), !line.isEmpty {
            let parts = line.split(
                separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].drop { $0 == 0x20 } : []
            headers.append(
                HTTPHeader(String(decoding: parts[0], as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return HTTPRequest(
            method: words.first.map(String.init) ?? "", target: words.count > 1 ? String(words[1]) : "",
            headers: headers, index: count.wrappingAdd(1, ordering: .relaxed).oldValue, connection: number)
    }

    private func readBody(
        _ stream: inout ScriptedStream, of request: inout HTTPRequest, as reading: HTTPBehaviour.Reading
    ) {
        var collector = BodyCollector()
        var allowed = Int.max
        if case .first(let count) = reading { allowed = count }
        if allowed > 0, request.header("Expect")?.lowercased() == "100-continue" {
            stream.send("HTTP/1.1 100 Continue\r\n\r\n")
        }
        if case .counted = reading {
            let length = request.header("Content-Length").flatMap(Int.init) ?? 0
            request.bodyLength = stream.skip(length)
            request.isWhole = request.bodyLength == length
            return
        }
        if request.header("Transfer-Encoding")?.lowercased() == "chunked" {
            request.isWhole = Self.readChunks(&stream, &collector, allowed: &allowed)
        } else {
            let length = request.header("Content-Length").flatMap(Int.init) ?? 0
            request.isWhole = Self.read(length, from: &stream, &collector, allowed: &allowed)
        }
        request.bodyLength = collector.length
        request.body = collector.prefix
        request.bodySHA256 = collector.digest.finish()
    }

    /// Reads `count` bytes; false when the connection, or what may be read, ended before.
    private static func read(
        _ count: Int, from stream: inout ScriptedStream, _ collector: inout BodyCollector, allowed: inout Int
    ) -> Bool {
        var left = count
        while left > 0 {
            guard allowed > 0 else { return false }
            let piece = stream.read(atMost: min(left, allowed))
            guard !piece.isEmpty else { return false }
            left -= piece.count
            allowed -= piece.count
            collector.add(piece)
        }
        return true
    }

    private static func readChunks(
        _ stream: inout ScriptedStream, _ collector: inout BodyCollector, allowed: inout Int
    ) -> Bool {
        while let line = stream.readLine() {
            let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let size = Int(digits, radix: 16) else { return false }
            guard size > 0 else { return stream.readLine() != nil }
            guard read(size, from: &stream, &collector, allowed: &allowed) else { return false }
            guard stream.readLine() != nil else { return false }
        }
        return false
    }

    private func answer(
        _ stream: borrowing ScriptedStream, _ request: HTTPRequest, _ behaviour: HTTPBehaviour
    ) -> Bool {
        var head = "HTTP/1.1 \(behaviour.status) \(behaviour.reason)\r\n"
        for header in behaviour.headers { head += "\(header.name): \(header.value)\r\n" }
        switch behaviour.announces {
        case .length: head += "Content-Length: \(behaviour.body.count)\r\n"
        case .falseLength(let count): head += "Content-Length: \(count)\r\n"
        case .chunked: head += "Transfer-Encoding: chunked\r\n"
        case .nothing: break
        }
        guard stream.send(head + "\r\n") else { return false }
        guard request.method != "HEAD" else { return true }
        let end = min(behaviour.body.count, behaviour.cutAfter ?? .max)
        let body = behaviour.body.slice(0..<end)
        guard case .chunked = behaviour.announces else {
            return stream.send(body, rate: behaviour.bytesPerSecond)
        }
        let last = behaviour.cutAfter == nil ? "\r\n0\r\n\r\n" : "\r\n"
        return (end == 0 || stream.send(String(end, radix: 16) + "\r\n"))
            && stream.send(body, rate: behaviour.bytesPerSecond)
            && stream.send(end == 0 ? "0\r\n\r\n" : last)
    }
}

/// What a scripted server keeps of a body.
private struct BodyCollector: ~Copyable {
    var length = 0
    var prefix: [UInt8] = []
    var digest = SHA256()

    mutating func add(_ piece: [UInt8]) {
        length += piece.count
        prefix += piece.prefix((1 << 20) - prefix.count)
        digest.update(piece)
    }
}
