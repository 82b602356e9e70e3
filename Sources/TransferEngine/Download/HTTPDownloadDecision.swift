internal import TransferModel

/// What an answer's head means to a download; decided before the first byte of its body is used.
///
/// Source: RFC 9110, sections 14 and 15.3; each case was seen in the field.
enum HTTPDownloadDecision: Hashable, Sendable {
    /// The body's bytes belong into the file from the asked offset on.
    case append(DownloadPiece)
    /// The body is the file from its first byte on, perhaps of another version: into a fresh file.
    case replace(DownloadPiece)
    /// The file is whole already; the body is none of it.
    case complete
    /// The file that stood here before is the server's.
    case unchanged
    /// Nothing of this answer can be used; the sentence says why.
    case askAgain(DownloadQuestion, because: String)
    /// The file is at another address.
    case redirected(TransferURL)
    case failed(Failure)

    /// - Parameters:
    ///   - url: the address that answered.
    ///   - name: of the target.
    ///   - loggedIn: whether credentials went along.
    static func decide(
        _ head: HTTPHead, to question: DownloadQuestion, at url: TransferURL, name: FileName, loggedIn: Bool,
        now: Timestamp
    ) -> HTTPDownloadDecision {
        guard !head.isTooLong else {
            return .failed(
                Failure(.temporary, text: "the server's answer has more header than any file needs"))
        }
        switch head.status {
        case 200: return named(whole(head, question, name), head)
        case 206: return named(part(head, question, name), head)
        case 304 where question.hasConditions: return .unchanged
        case 301, 302, 303, 307, 308: return redirected(head, url)
        case 416 where question.goesOn: return unsatisfied(head, question)
        case 100...399:
            return .failed(
                Failure(
                    .permanent, code: head.status,
                    text: "the server answered \(head.answer), which brings no file"))
        default:
            return .failed(
                HTTPFailure.classify(
                    head, doing: "fetching \(url)", loggedIn: loggedIn, isForOneFile: true, now: now))
        }
    }

    /// How many bytes the body brings at most; nil while nobody knows.
    var length: Int64? {
        switch self {
        case .replace(let piece):
            if case .at(let end) = piece.end { end } else { nil }
        case .append, .complete, .unchanged, .askAgain, .redirected, .failed: nil
        }
    }

    /// With the name that the server tells for a file that begins.
    private static func named(_ decision: HTTPDownloadDecision, _ head: HTTPHead) -> HTTPDownloadDecision {
        guard case .replace(var piece) = decision, let field = head.value("content-disposition") else {
            return decision
        }
        piece.toldName = ContentDisposition(field).flatMap { HarmlessName.of($0.name) }
        return .replace(piece)
    }

    private static func whole(
        _ head: HTTPHead, _ question: DownloadQuestion, _ name: FileName
    ) -> HTTPDownloadDecision {
        if let coding = ContentCoding.toUndo(in: head, for: name) {
            guard question.undoesCoding else {
                var next = question.fromStart
                next.undoesCoding = true
                return .askAgain(
                    next, because: "the server compressed the file (\(coding)) without being asked")
            }
            // The announced length and the version are those of the compressed bytes.
            return .replace(DownloadPiece(end: .whereTheBodyEnds(isMarked: BodyFraming(head) != .connection)))
        }
        switch BodyFraming(head) {
        case .length(let length):
            return .replace(
                DownloadPiece(
                    end: .at(length), total: length, validator: Checkpoint.Validator(head, total: length),
                    takesRanges: head.values("accept-ranges").contains { $0.lowercased() == "bytes" }))
        case .chunked, .connection:
            let isMarked = BodyFraming(head) == .chunked
            return .replace(
                DownloadPiece(
                    end: .whereTheBodyEnds(isMarked: isMarked),
                    validator: Checkpoint.Validator(head, total: nil)))
        case .invalid(let what):
            return .failed(Failure(.temporary, code: 200, text: "the server announced \(what)"))
        }
    }

    private static func part(
        _ head: HTTPHead, _ question: DownloadQuestion, _ name: FileName
    ) -> HTTPDownloadDecision {
        let ranges = head.values("content-range")
        guard ranges.count == 1, case .part(let first, let last, let total)? = ContentRange(ranges[0]) else {
            return again(question, "the server answered a part of the file and did not say which")
        }
        guard first == question.offset else {
            return again(
                question, "the server answered from byte \(first) instead of \(question.offset)")
        }
        if case .length(let length) = BodyFraming(head), length != last - first + 1 {
            return again(question, "the server announced a range and a length that contradict each other")
        }
        if case .invalid(let what) = BodyFraming(head) {
            return again(question, "the server announced \(what)")
        }
        guard ContentCoding.toUndo(in: head, for: name) == nil else {
            return again(question, "the server answered a part of a compressed file")
        }
        return accepted(head, question, first: first, last: last, total: total)
    }

    private static func accepted(
        _ head: HTTPHead, _ question: DownloadQuestion, first: Int64, last: Int64, total: Int64?
    ) -> HTTPDownloadDecision {
        let known = question.known
        if first == 0, !question.goesOn {
            let validator = Checkpoint.Validator(head, total: total)
            return .replace(
                DownloadPiece(end: .at(last + 1), total: total, validator: validator, takesRanges: true))
        }
        if let total, let before = known.total, total != before.rawValue {
            return again(question, "the file has \(total) bytes now, not \(before)")
        }
        switch known.matches(head) {
        case false: return again(question, "the file at the server has changed")
        case nil where !question.hasChecksum:
            return again(question, "the server did not say of which version of the file it answered a part")
        case true, nil: break
        }
        var validator = known
        validator.total = known.total ?? total.map(ByteCount.init(rawValue:))
        return .append(
            DownloadPiece(
                end: .at(last + 1), total: validator.total?.rawValue, validator: validator, takesRanges: true)
        )
    }

    private static func unsatisfied(_ head: HTTPHead, _ question: DownloadQuestion) -> HTTPDownloadDecision {
        guard case .unsatisfied(let total)? = head.value("content-range").flatMap(ContentRange.init),
            total == question.offset
        else { return again(question, "the server has no bytes from \(question.offset) on") }
        let matches = question.known.matches(head)
        guard matches == true || (matches == nil && question.hasChecksum) else {
            return again(question, "nothing says that the file at the server is still the same")
        }
        return .complete
    }

    private static func redirected(_ head: HTTPHead, _ url: TransferURL) -> HTTPDownloadDecision {
        guard let location = head.value("location") else {
            return .failed(
                Failure(
                    .permanent, code: head.status,
                    text: "the server answered \(head.answer) and named no address"))
        }
        let name = TransferURL.shown(location)
        let refusal: String
        do {
            let target = try url.resolving(location)
            switch (url.origin.scheme, target.origin.scheme) {
            case (.http, .http), (.http, .https), (.https, .https): return .redirected(target)
            case (.https, .http): refusal = "an https address is not left for an unprotected one"
            case (_, .ftp), (_, .ftps), (_, .sftp), (.ftp, _), (.ftps, _), (.sftp, _):
                refusal = "only http and https addresses are followed"
            }
        } catch {
            refusal = error.description
        }
        return .failed(
            Failure(
                .permanent, code: head.status,
                text: "the server answered \(head.answer) and named \(name): \(refusal)"))
    }

    private static func again(_ question: DownloadQuestion, _ reason: String) -> HTTPDownloadDecision {
        guard question.goesOn else { return .failed(Failure(.temporary, text: reason)) }
        return .askAgain(question.fromStart, because: reason)
    }
}
