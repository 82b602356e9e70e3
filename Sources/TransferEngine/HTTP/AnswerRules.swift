internal import TransferModel

/// Which answers mean success, beside what HTTP says: a status, and what the body has to say.
struct AnswerRules: Hashable, Sendable {
    var statuses = SuccessStatuses.standard
    /// An extended regular expression, regex(7).
    var pattern: String?
    var condition: JSONCondition?

    init() {}

    init(_ wishes: RequestWishes) {
        statuses = wishes.success ?? .standard
        pattern = wishes.successPattern
        condition = wishes.successCondition
    }

    /// Why an answer whose status is a good one is none all the same, as the end of a sentence; nil: it is one.
    ///
    /// `body` may be the beginning of a longer one: a pattern is looked for in what there is, JSON has to be whole.
    func objection(to body: [UInt8], isWhole: Bool) -> String? {
        if let pattern, !AnswerPattern.matches(pattern, in: body) {
            let part = isWhole ? "its body" : "the first \(body.count) bytes of its body"
            return "nothing in \(part) matches 'success_if = \(EscapedText.escape(pattern.utf8))'"
        }
        guard let condition else { return nil }
        let wish = "'success_json = \(EscapedText.escape(condition.description.utf8))'"
        guard isWhole else {
            return "its body is too long to be looked at for \(wish): more than \(body.count) bytes"
        }
        guard let value = JSONTree(body) else { return "its body is no JSON, as \(wish) wants it" }
        return condition.holds(for: value) ? nil : "its body does not say \(wish)"
    }

    /// Why a status of 2xx is no success.
    var statusObjection: String { "that is none of 'success = \(statuses)'" }
}
