internal import TransferModel

/// Reads the columns of one row of `jobs` as the model's types.
struct JobRowReader {
    private let row: SQLiteRow

    init(_ row: SQLiteRow) { self.row = row }

    func integer(_ column: JobColumn) -> Int64 { row.integer(column.rawValue) }

    func number(_ column: JobColumn) -> Int64? { row.integerOrNil(column.rawValue) }

    func text(_ column: JobColumn) -> String? { row.textOrNil(column.rawValue) }

    func time(_ column: JobColumn) -> Timestamp? { number(column).map(Timestamp.init(rawValue:)) }

    /// A value that is stored by its name; nil for NULL.
    func named<Value: RawRepresentable<String>>(_ column: JobColumn) throws(SQLiteError) -> Value? {
        guard let text = text(column) else { return nil }
        guard let value = Value(rawValue: text) else { throw malformed(column) }
        return value
    }

    func name<Value: RawRepresentable<String>>(_ column: JobColumn) throws(SQLiteError) -> Value {
        guard let value: Value = try named(column) else { throw malformed(column) }
        return value
    }

    func description() throws(SQLiteError) -> JobDescription {
        guard let value = JobDescription(json: row.bytes(JobColumn.spec.rawValue)) else {
            throw malformed(.spec)
        }
        return value
    }

    /// Most rows have the empty one, which is NULL.
    func checkpoint() throws(SQLiteError) -> Checkpoint {
        guard let json = row.bytesOrNil(JobColumn.checkpoint.rawValue) else { return Checkpoint() }
        guard let value = JSONText.decode(Checkpoint.self, json) else { throw malformed(.checkpoint) }
        return value
    }

    func url() throws(SQLiteError) -> TransferURL {
        do {
            return try TransferURL(text(.url) ?? "")
        } catch {
            throw malformed(.url)
        }
    }

    func state() throws(SQLiteError) -> JobState {
        let name: JobState.Name = try name(.state)
        let finished = Timestamp(rawValue: integer(.finishedAt))
        return switch name {
        case .queued: .queued(retryAt: time(.retryAt))
        case .running: .running(since: Timestamp(rawValue: integer(.startedAt)))
        case .held: .held(try self.name(.holdReason))
        case .done: .done(at: finished)
        case .failed: .failed(at: finished)
        case .cancelled: .cancelled(at: finished)
        case .expired: .expired(at: finished)
        }
    }

    func reply() -> Reply? {
        number(.replyStatus).map { status in
            Reply(
                status: Int(status), head: row.bytesOrNil(JobColumn.replyHead.rawValue),
                body: row.bytes(JobColumn.replyBody.rawValue))
        }
    }

    private func malformed(_ column: JobColumn) -> SQLiteError {
        .malformed("job \(integer(.id)): column \(column.name) holds what no transferd wrote")
    }
}
