/// The columns of `jobs` that a ``Job`` is made of, in the order in which every query reads them.
///
/// `due` is missing: the table makes it. The reply comes last, since a large one lies on pages of its own.
enum JobColumn: Int32, CaseIterable {
    case id, kind, route, state, request, holdReason, priority, origin, host, url, sourceRoot, source,
        destination
    case spec, startOffset, offset, limit, highWater, stage, checkpoint, attempts, idempotencyKey, notBefore,
        retryAt
    case expiresAt, createdAt, startedAt, finishedAt, label, failureClass, failureScope, failureCurl,
        failureCode
    case failureText, failureRetryAfter, digest, disposed, ahead, replyStatus, replyHead, replyBody

    private static let names: [StaticString] = [
        "id", "kind", "route", "state", "request", "hold_reason", "priority", "origin", "host", "url",
        "source_root", "source", "destination", "spec", "start_offset", "\"offset\"", "\"limit\"",
        "high_water", "stage",
        "checkpoint", "attempts", "idempotency_key", "not_before", "retry_at", "expires_at", "created_at",
        "started_at", "finished_at", "label", "failure_class", "failure_scope", "failure_curl",
        "failure_code",
        "failure_text", "failure_retry_after", "digest", "disposed", "ahead", "reply_status",
        "reply_head", "reply_body",
    ]

    var name: String { Self.names[Int(rawValue)].description }

    /// What a transition may change; a disposal brings its own description.
    static let changing: [JobColumn] = [
        .state, .request, .holdReason, .retryAt, .startedAt, .finishedAt, .startOffset, .offset, .limit,
        .highWater, .stage, .checkpoint, .attempts, .expiresAt, .failureClass, .failureScope, .failureCurl,
        .failureCode, .failureText,
        .failureRetryAfter, .digest, .disposed, .ahead, .replyStatus, .replyHead, .replyBody,
    ]

    /// What a new row gets; its number comes from the table.
    static let inserted = allCases.filter { $0 != .id }

    /// The columns of a query for jobs.
    static let selected = allCases.map(\.name).joined(separator: ", ")
}
