import Glibc
import Synchronization

/// A small proxy on a port of 127.0.0.1 that speaks SOCKS5 (RFC 1928, 1929) or HTTP CONNECT, does what its script says
/// for each request, and remembers what it was asked.
///
/// Wherever a request wants to go, the connection is made to that port of 127.0.0.1.
public final class ScriptedProxy: Sendable {
    public enum Kind: Sendable {
        case socks5, http
    }

    /// What it was asked to connect to.
    public struct Wish: Hashable, Sendable {
        /// An address or a name, as it came.
        public let host: String
        public let isName: Bool
        public let port: UInt16
        /// `USER:PASSWORD`, when a login was shown.
        public let login: String?
    }

    public enum Behaviour: Sendable {
        case connect
        /// SOCKS5: the reply code; HTTP: the status.
        case refuse(Int)
        /// Takes the request and never answers.
        case silence
    }

    private let listener: ScriptedListener
    private let kind: Kind
    private let login: String?
    private let script: @Sendable (Wish, Int) -> Behaviour
    private let log = Mutex<[Wish]>([])

    /// - Parameters:
    ///   - login: `USER:PASSWORD` that a client has to show.
    ///   - script: gets each request with its number, from 0 on.
    public init(
        _ kind: Kind, login: String? = nil,
        script: @escaping @Sendable (Wish, Int) -> Behaviour = { _, _ in .connect }
    ) throws {
        self.kind = kind
        self.login = login
        self.script = script
        listener = try ScriptedListener()
        listener.start { [weak self] stream, number in
            guard let self else { return }
            switch kind {
            case .socks5: serveSOCKS(&stream, number)
            case .http: serveHTTP(&stream, number)
            }
        }
    }

    deinit { listener.stop() }

    public var port: UInt16 { listener.port }
    /// The requests so far.
    public var wishes: [Wish] { log.withLock { $0 } }
    /// Connections taken so far.
    public var connections: Int { listener.connections }

    /// Refuses new connections and ends the open ones.
    public func stop() { listener.stop() }

    private func note(_ wish: Wish) -> Behaviour {
        script(
            wish,
            log.withLock { log in
                log.append(wish)
                return log.count - 1
            })
    }

    private func connect(to port: UInt16) -> ScriptedStream? {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard Loopback.withAddress(port, { Glibc.connect(fd, $0, $1) }) == 0 else {
            close(fd)
            return nil
        }
        listener.watch(fd)
        return ScriptedStream(fd: fd, listener: listener)
    }

    private func join(_ client: borrowing ScriptedStream, _ server: borrowing ScriptedStream, _ number: Int) {
        Pace(listener: listener, bytesPerSecond: nil, delay: .zero)
            .join(client.fd, server.fd)
    }
}

// MARK: - SOCKS5

extension ScriptedProxy {
    private func serveSOCKS(_ stream: inout ScriptedStream, _ number: Int) {
        let (isWelcome, shown) = greetSOCKS(&stream)
        guard isWelcome, let (host, isName, port) = readSOCKS(&stream) else { return }
        switch note(Wish(host: host, isName: isName, port: port, login: shown)) {
        case .connect:
            guard let server = connect(to: port) else {
                stream.send(Self.answer(5))
                return
            }
            stream.send(Self.answer(0))
            join(stream, server, number)
        case .refuse(let code): stream.send(Self.answer(code))
        case .silence: stream.drain()
        }
    }

    private static func answer(_ code: Int) -> [UInt8] { [5, UInt8(code), 0, 1, 127, 0, 0, 1, 0, 0] }

    private func greetSOCKS(_ stream: inout ScriptedStream) -> (Bool, String?) {
        let head = stream.readExactly(2)
        guard head.count == 2, head[0] == 5 else { return (false, nil) }
        let methods = stream.readExactly(Int(head[1]))
        guard let login else {
            stream.send([5, methods.contains(0) ? 0 : 0xff])
            return (methods.contains(0), nil)
        }
        guard methods.contains(2) else {
            stream.send([5, 0xff])
            return (false, nil)
        }
        stream.send([5, 2])
        let user = Self.text(&stream, skipping: 1)
        let password = Self.text(&stream, skipping: 0)
        let isRight = "\(user):\(password)" == login
        stream.send([1, isRight ? 0 : 1])
        return (isRight, "\(user):\(password)")
    }

    private static func text(_ stream: inout ScriptedStream, skipping count: Int) -> String {
        let head = stream.readExactly(count + 1)
        return String(decoding: stream.readExactly(Int(head.last ?? 0)), as: UTF8.self)
    }

    private func readSOCKS(_ stream: inout ScriptedStream) -> (String, Bool, UInt16)? {
        let head = stream.readExactly(4)
        guard head.count == 4, head[1] == 1 else { return nil }
        let host: String
        switch head[3] {
        case 1: host = stream.readExactly(4).map(String.init).joined(separator: ".")
        case 3: host = Self.text(&stream, skipping: 0)
        case 4: host = stream.readExactly(16).map { String($0, radix: 16) }.joined(separator: " ")
        case _: return nil
        }
        let port = stream.readExactly(2)
        guard port.count == 2 else { return nil }
        return (host, head[3] == 3, UInt16(port[0]) << 8 | UInt16(port[1]))
    }
}

// MARK: - HTTP

extension ScriptedProxy {
    private func serveHTTP(_ stream: inout ScriptedStream, _ number: Int) {
        var lines: [String] = []
        while let line = stream.readLine(), !line.isEmpty {
            lines.append(String(decoding: line, as: UTF8.self))
        }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, words[0] == "CONNECT", let colon = words[1].lastIndex(of: ":"),
            let port = UInt16(words[1][words[1].index(after: colon)...])
        else {
            stream.send("HTTP/1.1 405 Only CONNECT\r\nContent-Length: 0\r\n\r\n")
            return
        }
        let prefix = "Proxy-Authorization: Basic "
        let shown = lines.first { $0.hasPrefix(prefix) }.map {
            Self.decoded(String($0.dropFirst(prefix.count)))
        }
        let host = String(words[1][..<colon])
        let behaviour = note(
            Wish(host: host, isName: host.contains { $0.isLetter }, port: port, login: shown))
        guard login == nil || shown == login else {
            stream.send(
                "HTTP/1.1 407 Login\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n")
            return
        }
        serveHTTP(&stream, number, behaviour, port)
    }

    private func serveHTTP(
        _ stream: inout ScriptedStream, _ number: Int, _ behaviour: Behaviour, _ port: UInt16
    ) {
        switch behaviour {
        case .connect:
            guard let server = connect(to: port) else {
                stream.send("HTTP/1.1 502 Nobody there\r\nContent-Length: 0\r\n\r\n")
                return
            }
            stream.send("HTTP/1.1 200 Connected\r\n\r\n")
            join(stream, server, number)
        case .refuse(let status): stream.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
        case .silence: stream.drain()
        }
    }

    private static func decoded(_ base64: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bits = 0
        var count = 0
        var bytes: [UInt8] = []
        for character in base64.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { break }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 0xff))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ScriptedStream {
    /// The next `count` bytes, fewer at the end of the connection.
    fileprivate mutating func readExactly(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = read(atMost: count - bytes.count)
            if piece.isEmpty { break }
            bytes += piece
        }
        return bytes
    }
}
