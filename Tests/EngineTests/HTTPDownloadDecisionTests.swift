import Testing
import TransferModel

@testable import TransferEngine

@Suite struct HTTPDownloadDecisions {
    private static let tag = Checkpoint.Validator(
        entityTag: "\"v1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
        date: "Mon, 07 Nov 1994 08:49:37 GMT", total: ByteCount(1000))
    private static let resumed = DownloadQuestion(offset: 400, known: tag)
    private static let fresh = DownloadQuestion()

    private func decide(
        _ status: Int, _ fields: [String], _ question: DownloadQuestion, name: String = "file",
        from address: String = "https://host.example/file"
    ) throws -> HTTPDownloadDecision {
        HTTPDownloadDecision.decide(
            head(status, fields), to: question, at: try TransferURL(address),
            name: try #require(FileName(name)),
            loggedIn: false, now: Timestamp(rawValue: 784_111_777_000))
    }

    @Test func `a whole file is taken with its length and its version`() throws {
        let decision = try decide(200, ["Content-Length: 10", "ETag: \"a\""], Self.fresh)
        let validator = Checkpoint.Validator(entityTag: "\"a\"", total: ByteCount(10))
        #expect(decision == .replace(DownloadPiece(end: .at(10), total: 10, validator: validator)))
    }

    @Test func `the part that was asked for is appended`() throws {
        let decision = try decide(
            206, ["Content-Range: bytes 400-999/1000", "Content-Length: 600", "ETag: \"v1\""], Self.resumed)
        #expect(
            decision
                == .append(DownloadPiece(end: .at(1000), total: 1000, validator: Self.tag, takesRanges: true))
        )
    }

    @Test func `a capped part is appended and the rest is still to come`() throws {
        let decision = try decide(206, ["Content-Range: bytes 400-499/1000", "ETag: \"v1\""], Self.resumed)
        guard case .append(let piece) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(piece.next(reached: 500) == .goOn)
    }

    @Test(arguments: [
        ["ETag: \"v1\""],
        ["Content-Range: bytes 0-999/1000", "ETag: \"v1\""],
        ["Content-Range: bytes 300-999/1000", "ETag: \"v1\""],
        ["Content-Range: bytes 500-999/1000", "ETag: \"v1\""],
        ["Content-Range: bytes 400-1199/1200", "ETag: \"v1\""],
        ["Content-Range: bytes 400-999/1000", "ETag: \"v2\""],
        ["Content-Range: bytes 400-999/1000", "ETag: W/\"v1\""],
        ["Content-Range: bytes 400-999/1000", "Last-Modified: Mon, 07 Nov 1994 08:49:37 GMT"],
        ["Content-Range: bytes 400-999/1000"],
        ["Content-Range: bytes 400-999/1000", "ETag: \"v1\"", "Content-Length: 500"],
        ["Content-Range: bytes 400-999/1000", "ETag: \"v1\"", "Content-Encoding: gzip"],
        ["Content-Range: bytes 400-999/1000", "Content-Range: bytes 400-999/1000", "ETag: \"v1\""],
        ["Content-Type: multipart/byteranges; boundary=x", "ETag: \"v1\""],
    ])
    func `a part that is not beyond doubt the missing one is not used`(fields: [String]) throws {
        guard case .askAgain(let next, _) = try decide(206, fields, Self.resumed) else {
            Issue.record("\(fields) was used")
            return
        }
        #expect(next.offset == 0)
        #expect(next.fields == ["Accept-Encoding: identity"])
    }

    @Test func `an answer of the whole in place of a part goes into a fresh file`() throws {
        let decision = try decide(200, ["Content-Length: 900"], Self.resumed)
        let validator = Checkpoint.Validator(total: ByteCount(900))
        #expect(decision == .replace(DownloadPiece(end: .at(900), total: 900, validator: validator)))
    }

    @Test func `no range is complete only where the lengths and versions are the same`() throws {
        var complete = Self.resumed
        complete.offset = 1000
        #expect(try decide(416, ["Content-Range: bytes */1000", "ETag: \"v1\""], complete) == .complete)
        for fields in [
            ["Content-Range: bytes */999", "ETag: \"v1\""], ["ETag: \"v1\""], ["Content-Range: bytes */1000"],
            ["Content-Range: bytes */1000", "ETag: \"v2\""],
        ] {
            guard case .askAgain(let next, _) = try decide(416, fields, complete) else {
                Issue.record("\(fields) was believed")
                continue
            }
            #expect(next.offset == 0)
        }
    }

    @Test func `without a version only a checksum lets a part be appended`() throws {
        let fields = ["Content-Range: bytes 400-999/1000"]
        let question = DownloadQuestion(offset: 400, hasChecksum: true)
        guard case .append = try decide(206, fields, question) else {
            Issue.record("the part was not appended")
            return
        }
        #expect(question.fields == ["Accept-Encoding: identity", "Range: bytes=400-"])
    }

    @Test(arguments: [
        (nil, nil, nil, nil), ("W/\"a\"", nil, nil, nil), ("\"a\"", nil, nil, "\"a\""),
        (nil, "Sun, 06 Nov 1994 08:49:37 GMT", nil, nil),
        (nil, "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:50 GMT", nil),
        (
            "W/\"a\"", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:50:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT"
        ),
    ])
    func `a range is asked for under a strong tag or an old date`(
        tag: String?, modified: String?, date: String?, condition: String?
    ) {
        let validator = Checkpoint.Validator(entityTag: tag, lastModified: modified, date: date)
        #expect(validator.condition == condition)
    }

    @Test(arguments: [
        ["Content-Length: 9223372036854775808"], ["Content-Length: 5", "Content-Length: 6"],
    ])
    func `a length that no file has is not believed`(fields: [String]) throws {
        guard case .failed(let failure) = try decide(200, fields, Self.fresh) else {
            Issue.record("it was believed")
            return
        }
        #expect(failure.class == .temporary)
    }

    @Test func `a body that ends with the connection is whole as far as anyone can tell`() throws {
        guard case .replace(let piece) = try decide(200, [], Self.fresh) else {
            Issue.record("it was not taken")
            return
        }
        #expect(piece.next(reached: 5) == .whole(lengthIsVerified: false))
        guard case .failed = piece.next(reached: 0) else {
            Issue.record("an empty body without a length is no file")
            return
        }
    }

    @Test func `a short body is never whole`() {
        guard case .failed(let failure) = DownloadPiece(end: .at(10), total: 10).next(reached: 9) else {
            Issue.record("it was taken")
            return
        }
        #expect(failure.class == .temporary)
    }

    @Test func `a compressed answer is asked for again and undone`() throws {
        let fields = ["Content-Encoding: gzip", "Content-Length: 5", "ETag: \"z\""]
        guard case .askAgain(let next, _) = try decide(200, fields, Self.fresh) else {
            Issue.record("it was taken as it came")
            return
        }
        #expect(next.undoesCoding)
        let undone = try decide(200, fields, next)
        #expect(undone == .replace(DownloadPiece(end: .whereTheBodyEnds(isMarked: true))))
    }

    @Test func `a file that is compressed by its name is taken as it came`() throws {
        guard
            case .replace(let piece) = try decide(
                200, ["Content-Encoding: x-gzip", "Content-Length: 5"], Self.fresh, name: "a.tar.gz")
        else {
            Issue.record("it was not taken")
            return
        }
        #expect(piece.end == .at(5))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a new address is followed`(status: Int) throws {
        let target = try TransferURL("https://other.example/x")
        #expect(try decide(status, ["Location: https://other.example/x"], Self.fresh) == .redirected(target))
    }

    @Test(arguments: [
        "http://host.example/x", "ftp://host.example/x", "file:///etc/passwd", "https://u:p@host.example/",
    ])
    func `an address that protects less or speaks otherwise is not followed`(location: String) throws {
        guard case .failed(let failure) = try decide(302, ["Location: \(location)"], Self.fresh) else {
            Issue.record("it was followed")
            return
        }
        #expect(failure.class == .permanent)
    }

    @Test(arguments: [
        (204, Failure.Class.permanent), (404, .permanent), (403, .permanent), (304, .permanent),
        (503, .temporary), (500, .temporary), (429, .temporary), (408, .temporary),
    ])
    func `an answer without a file is no file`(status: Int, class: Failure.Class) throws {
        guard case .failed(let failure) = try decide(status, ["Content-Length: 5"], Self.fresh) else {
            Issue.record("it was taken")
            return
        }
        #expect(failure.class == `class`)
        #expect(failure.code == status)
    }
}
