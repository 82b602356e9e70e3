import Testing
import TransferModel

@testable import TransferEngine

@Suite struct FormVerdicts {
    private func decide(
        _ status: Int, _ fields: [String] = [], sentWhole: Bool = true, sealed: Bool = true,
        loggedIn: Bool = false, broke: Bool = false, exchange: Failure? = nil
    ) throws -> FormVerdict {
        FormVerdict.decide(
            FormVerdict.Facts(
                url: try TransferURL("https://host.example/form"),
                head: status == 0 ? HTTPHead() : head(status, fields),
                excerpt: Array("too\r\nbig".utf8), sentWhole: sentWhole, sealed: sealed, loggedIn: loggedIn,
                keptConnectionBroke: broke, exchange: exchange, now: Timestamp(rawValue: 0)))
    }

    private func failure(_ verdict: FormVerdict) throws -> Failure {
        guard case .failed(let failure) = verdict else {
            Issue.record("\(verdict)")
            throw Failure(.local, text: "no failure")
        }
        return failure
    }

    @Test func `it has arrived with 2xx and the whole body`() throws {
        #expect(try decide(200) == .arrived)
        #expect(try decide(204) == .arrived)
        #expect(try failure(decide(200, sentWhole: false, sealed: false)).class == .temporary)
        #expect(try failure(decide(200, sentWhole: false, sealed: true)).class == .temporary)
    }

    @Test(arguments: [
        (400, Failure.Class.permanent), (401, .permanent), (403, .permanent), (404, .permanent),
        (408, .temporary), (413, .permanent), (425, .temporary), (429, .temporary), (500, .temporary),
        (503, .temporary),
    ])
    func `another answer fails as its number says`(status: Int, class: Failure.Class) throws {
        for sent in [true, false] {
            let failure = try failure(decide(status, sentWhole: sent, sealed: sent))
            #expect(failure.class == `class`)
            #expect(failure.scope == .job)
            #expect(failure.text.hasSuffix("the server answered \(status): Words, too big"))
        }
    }

    @Test func `a refused password stops the login`() throws {
        #expect(try failure(decide(401, loggedIn: true)).scope == .login)
    }

    @Test func `a wait is kept`() throws {
        #expect(try failure(decide(503, ["Retry-After: 3"])).retryAfter == .seconds(3))
        #expect(try failure(decide(429, ["Retry-After: -5"])).retryAfter == .zero)
    }

    @Test(arguments: [301, 302, 303])
    func `a moved form is permanent and names the new address`(status: Int) throws {
        let failure = try failure(decide(status, ["Location: /new"]))
        #expect(failure.class == .permanent)
        #expect(failure.text.contains("/new"))
    }

    @Test(arguments: [301, 307])
    func `what is secret of an address that is named stays so`(status: Int) throws {
        let failure = try failure(decide(status, ["Location: https://u:pw@other.example/x?token=abc"]))
        #expect(failure.text.contains("https://u:…@other.example/x?token=…"), "\(failure)")
    }

    @Test(arguments: [307, 308])
    func `the body goes to another address of the same server only`(status: Int) throws {
        #expect(try decide(status, ["Location: /new"]) == .repeated(TransferURL("https://host.example/new")))
        for location in ["https://other.example/", "http://host.example/", "https://host.example:8443/"] {
            #expect(try failure(decide(status, ["Location: \(location)"])).class == .permanent)
        }
    }

    @Test func `no answer after the seal is an outcome that nobody knows`() throws {
        let reset = Failure(.temporary, curl: 56, text: "connection reset")
        #expect(try failure(decide(0, exchange: reset)).class == .unknownOutcome)
        #expect(try failure(decide(0, sentWhole: false, exchange: reset)).class == .unknownOutcome)
        #expect(try failure(decide(0, sentWhole: false, sealed: false, exchange: reset)) == reset)
        #expect(try failure(decide(0, sentWhole: false, sealed: false)).class == .temporary)
    }

    @Test func `a kept connection that was dead costs nothing before the seal`() throws {
        let url = try TransferURL("https://host.example/form")
        let reset = Failure(.temporary, curl: 56, text: "connection reset")
        #expect(
            try decide(0, sentWhole: false, sealed: false, broke: true, exchange: reset) == .repeated(url))
        #expect(try failure(decide(0, broke: true, exchange: reset)).class == .unknownOutcome)
    }
}
