/// What a scripted web server does with one request: right by default, each wrongness one value.
public struct HTTPBehaviour: Sendable {
    /// How much of the request's body is read before the answer.
    public enum Reading: Sendable {
        case whole
        /// Whole, and only counted: for bodies of many gigabytes.
        case counted
        /// At most so many bytes; the connection ends after the answer.
        case first(Int)
    }

    /// What the answer says of its body's length.
    public enum Announcement: Sendable {
        /// The true Content-Length.
        case length
        /// A Content-Length that may be false.
        case falseLength(Int)
        case chunked
        /// Nothing: the body ends with the connection.
        case nothing
    }

    /// What happens when the answer is out, or is due when there is none.
    public enum Ending: Sendable {
        case keepsAlive
        case closes
        /// RST.
        case resets
        /// The connection stays open and silent.
        case stalls
    }

    public var status = 200
    public var reason = "Scripted"
    public var headers: [HTTPHeader] = []
    public var body = TestContent.bytes([])
    public var announces = Announcement.length
    public var reads = Reading.whole
    /// Passes between the reading and the answer.
    public var delay = Duration.zero
    /// False: no byte of an answer, only the ending.
    public var answers = true
    /// The answer's body is cut after so many bytes; then comes the ending, which should not be `keepsAlive`.
    public var cutAfter: Int?
    public var ending = Ending.keepsAlive
    public var bytesPerSecond: Int?
    /// Said behind the answer, as soon as that has been read, on a connection that stays open.
    public var adds = ""
    /// Over TLS the connection ends without a word (no close_notify).
    public var omitsEnd = false

    public init(status: Int = 200, headers: [HTTPHeader] = [], body: TestContent = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer of text.
    public static func text(_ text: String, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPBehaviour {
        HTTPBehaviour(status: status, headers: headers, body: .bytes(Array(text.utf8)))
    }

    /// Reads the whole request and then resets the connection without an answer.
    public static var resetAfterBody: HTTPBehaviour {
        var behaviour = HTTPBehaviour()
        behaviour.answers = false
        behaviour.ending = .resets
        return behaviour
    }

    /// Reads the whole request and never answers.
    public static var silent: HTTPBehaviour {
        var behaviour = HTTPBehaviour()
        behaviour.answers = false
        behaviour.ending = .stalls
        return behaviour
    }

    /// The right answer for an object: 200, 206 for a Range whose If-Range matches, 416 beyond the end.
    public static func object(
        _ content: TestContent, for request: HTTPRequest, etag: String? = nil, lastModified: String? = nil
    ) -> HTTPBehaviour {
        var headers = [HTTPHeader("Accept-Ranges", "bytes")]
        if let etag { headers.append(HTTPHeader("ETag", etag)) }
        if let lastModified { headers.append(HTTPHeader("Last-Modified", lastModified)) }
        let condition = request.header("If-Range")
        let matches = condition == nil || condition == etag || condition == lastModified
        guard matches, let range = request.range(of: content.count) else {
            return HTTPBehaviour(headers: headers, body: content)
        }
        if range.isEmpty {
            headers.append(HTTPHeader("Content-Range", "bytes */\(content.count)"))
            return HTTPBehaviour(status: 416, headers: headers, body: .bytes(Array("no such range".utf8)))
        }
        headers.append(
            HTTPHeader("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"))
        return HTTPBehaviour(status: 206, headers: headers, body: content.slice(range))
    }
}
