internal import TransferModel

/// The one place that knows how a job lies in its row.
extension Job {
    /// The job of a row that was read with ``JobColumn/selected``.
    init(row: SQLiteRow) throws(SQLiteError) {
        let reader = JobRowReader(row)
        let new = NewJob(
            route: reader.text(.route), url: try reader.url(),
            description: try reader.description(),
            priority: Int(reader.integer(.priority)), label: reader.text(.label),
            idempotencyKey: reader.text(.idempotencyKey) ?? "", notBefore: reader.time(.notBefore),
            expiresAt: Timestamp(rawValue: reader.integer(.expiresAt)),
            createdAt: Timestamp(rawValue: reader.integer(.createdAt)))
        self.init(
            id: JobID(rawValue: reader.integer(.id)), new: new, state: try reader.state(),
            request: try reader.named(.request),
            startOffset: ByteCount(rawValue: reader.integer(.startOffset)),
            offset: ByteCount(rawValue: reader.integer(.offset)),
            limit: reader.number(.limit).map(ByteCount.init(rawValue:)),
            highWater: ByteCount(rawValue: reader.integer(.highWater)), stage: try reader.name(.stage),
            checkpoint: try reader.checkpoint(), attempts: Int(reader.integer(.attempts)),
            startedAt: reader.time(.startedAt), finishedAt: reader.time(.finishedAt),
            lastFailure: try Failure(row: row, from: JobColumn.failureClass.rawValue), reply: reader.reply(),
            digest: reader.text(.digest), disposed: reader.integer(.disposed) != 0,
            isAhead: reader.integer(.ahead) != 0)
    }

    /// What `column` of the job's row holds.
    func value(of column: JobColumn) throws(SQLiteError) -> SQLiteValue {
        switch column {
        case .id: .integer(id.rawValue)
        case .kind: .text(kind.rawValue)
        case .route: .text(orNull: route)
        case .state: .text(state.name.rawValue)
        case .request: .text(orNull: request?.rawValue)
        case .holdReason: .text(orNull: state.holdReason?.rawValue)
        case .priority: .integer(priority)
        case .origin: .text(origin.description)
        case .host: .text(origin.host)
        case .url: .text(url.text)
        case .sourceRoot: .text(orNull: description.sources.first?.root.columnName)
        case .source: .blob(orNull: description.sources.first?.path.bytes)
        case .destination: .blob(orNull: description.destination?.bytes)
        case .spec: .text(try description.json())
        case .startOffset: .integer(startOffset.rawValue)
        case .offset: .integer(offset.rawValue)
        case .limit: .integer(orNull: limit?.rawValue)
        case .highWater: .integer(highWater.rawValue)
        case .stage: .text(stage.rawValue)
        case .checkpoint: .text(orNull: try checkpoint.json())
        case .attempts: .integer(attempts)
        case .idempotencyKey: .text(idempotencyKey)
        case .notBefore: .integer(orNull: notBefore?.rawValue)
        case .retryAt: .integer(orNull: state.retryAt?.rawValue)
        case .expiresAt: .integer(expiresAt.rawValue)
        case .createdAt: .integer(createdAt.rawValue)
        case .startedAt: .integer(orNull: startedAt?.rawValue)
        case .finishedAt: .integer(orNull: finishedAt?.rawValue)
        case .label: .text(orNull: label)
        case .failureClass: .text(orNull: lastFailure?.class.rawValue)
        case .failureScope: .text(orNull: lastFailure?.scope.rawValue)
        case .failureCurl: .integer(orNull: lastFailure?.curl.map(Int64.init))
        case .failureCode: .integer(orNull: lastFailure?.code.map(Int64.init))
        case .failureText: .text(orNull: lastFailure?.text)
        case .failureRetryAfter: .integer(orNull: lastFailure?.retryAfter?.wholeMilliseconds)
        case .digest: .text(orNull: digest)
        case .disposed: .integer(disposed ? 1 : 0)
        case .ahead: .integer(isAhead ? 1 : 0)
        case .replyStatus: .integer(orNull: reply.map { Int64($0.status) })
        case .replyHead: .blob(orNull: reply?.head)
        case .replyBody: .blob(orNull: reply.map { Array($0.body.prefix(Reply.longestBody)) })
        }
    }

    /// Whether a column that transitions may change has the same value in `other`; compares what it is made of, since
    /// making it takes longer.
    func has(_ column: JobColumn, as other: Job) -> Bool {
        switch column {
        case .state: state.name == other.state.name
        case .request: request == other.request
        case .holdReason: state.holdReason == other.state.holdReason
        case .retryAt: state.retryAt == other.state.retryAt
        case .startedAt: startedAt == other.startedAt
        case .finishedAt: finishedAt == other.finishedAt
        case .startOffset: startOffset == other.startOffset
        case .offset: offset == other.offset
        case .limit: limit == other.limit
        case .highWater: highWater == other.highWater
        case .stage: stage == other.stage
        case .checkpoint: checkpoint == other.checkpoint
        case .attempts: attempts == other.attempts
        case .expiresAt: expiresAt == other.expiresAt
        case .failureClass, .failureScope, .failureCurl, .failureCode, .failureText, .failureRetryAfter:
            lastFailure == other.lastFailure
        case .digest: digest == other.digest
        case .disposed: disposed == other.disposed
        case .ahead: isAhead == other.isAhead
        case .replyStatus, .replyHead, .replyBody: reply == other.reply
        case .id, .kind, .route, .priority, .origin, .host, .url, .sourceRoot, .source, .destination, .spec,
            .idempotencyKey, .notBefore, .createdAt, .label:
            true
        }
    }

    func values(of columns: [JobColumn]) throws(SQLiteError) -> [SQLiteValue] {
        var values: [SQLiteValue] = []
        values.reserveCapacity(columns.count + 1)
        for column in columns { values.append(try value(of: column)) }
        return values
    }
}

extension JobState {
    fileprivate var holdReason: HoldReason? {
        if case .held(let reason) = self { reason } else { nil }
    }

    fileprivate var retryAt: Timestamp? {
        if case .queued(let retryAt) = self { retryAt } else { nil }
    }
}

extension JobDescription {
    fileprivate var destination: FilePath? {
        switch self {
        case .upload, .form, .remote: nil
        case .download(let download): download.directory.appending(download.target)
        }
    }
}

extension SourceFile.Root {
    fileprivate var columnName: String {
        switch self {
        case .spool: "spool"
        case .intake: "intake"
        case .inPlace: "inPlace"
        }
    }
}
