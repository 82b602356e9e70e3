import TransferModel

/// The keys that say how requests to web servers are made and which answers are good: in `[origin]`, in `[route]` and
/// after `--option`.
extension RequestWishes {
    static let keys: [ConfigurationKey<RequestWishes>] = asking + answers + repetition

    private static let asking: [ConfigurationKey<RequestWishes>] = [
        .optionalValues(
            "header", \.headers, .header,
            "HTTP: a header field of every request, Name: value (repeatable, added up; in a form's route with {name} …)."
        ),
        .optional(
            "auth", \.authentication, .choice,
            "HTTP: 'basic', 'digest', or 'bearer', where the netrc entry's password is the token."),
        .optional(
            "expect", \.expectation, .choice,
            "HTTP: 'on' asks the server before a body is sent (Expect: 100-continue), 'off' does not."),
        .optional(
            "cookies", \.cookies, .choice,
            "HTTP: 'on' sends a server's cookies back to it within one attempt, 'off' drops them."),
        .optional(
            "answer_timeout", \.answerTimeout, .duration(atLeast: .seconds(1)),
            "HTTP: how long the answer may take when the whole body was sent."),
    ]

    private static let answers: [ConfigurationKey<RequestWishes>] = [
        .optional(
            "success", \.success, .successStatuses,
            "Form: the answers that mean success, such as 2xx,303 or 200-204."),
        .optional(
            "success_if", \.successPattern, .pattern,
            "Form: what the body of such an answer has to match, a POSIX extended regular expression."),
        .optional(
            "success_json", \.successCondition, .jsonCondition,
            "Form: what it has to say in JSON: /pointer == value, or != (RFC 6901); of two equal names the first counts."
        ),
        .optional(
            "reply_file", \.replyFile, .replyFile,
            "Form: a file for the whole answer, below replies in state_dir or in full below a directory of download_dirs."
        ),
    ]

    private static let repetition: [ConfigurationKey<RequestWishes>] = [
        .optional(
            "idempotency_header", \.idempotencyHeader, .idempotencyHeader,
            "Form: the field that carries the job's key in every attempt; 'off' sends none, without this key Idempotency-Key."
        ),
        .optional(
            "unknown_outcome", \.unknownOutcome, .choice,
            "Form: when the answer is lost, 'retry' or 'hold'; without this key retry where idempotency_header names one."
        ),
    ]

    /// What means something to requests that bring no body and keep no answer.
    static let keysOfDownloads: Set<String> = ["header", "auth", "cookies"]
}
