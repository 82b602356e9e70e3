public import TransferModel

/// What routes that fetch remember.
extension JobTable {
    private static let removeAttempts = """
        DELETE FROM attempts WHERE job = \
        (SELECT id FROM jobs WHERE idempotency_key = ?1 AND finished_at IS NOT NULL)
        """
    private static let removeEnded = "DELETE FROM jobs WHERE idempotency_key = ?1 AND finished_at IS NOT NULL"

    func renew(_ new: NewJob) throws(SQLiteError) {
        try connection.run(Self.removeAttempts, .text(new.idempotencyKey))
        try connection.run(Self.removeEnded, .text(new.idempotencyKey))
        _ = try insert(Job(admitting: new))
    }

    private static let forgetOthers = "DELETE FROM polled_files WHERE route = ?1 AND directory <> ?2"
    private static let forget = "DELETE FROM polled_files WHERE route = ?1 AND directory = ?2 AND name = ?3"
    private static let remember = """
        INSERT OR REPLACE INTO polled_files \
        (route, directory, name, size, modified, state, seen_since, missing_since) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """

    func remember(_ record: PollRecord) throws(SQLiteError) {
        let place: [SQLiteValue] = [.text(record.route), .text(record.directory.text)]
        try connection.run(Self.forgetOthers, place)
        for name in record.forgotten { try connection.run(Self.forget, place + [.blob(name)]) }
        for file in record.remembered {
            let (state, since): (String, Timestamp?) =
                switch file.state {
                case .seen(let since): ("seen", since)
                case .taken: ("taken", nil)
                case .refused: ("refused", nil)
                }
            try connection.run(
                Self.remember,
                place + [
                    .blob(file.name), .integer(orNull: file.version.size),
                    .integer(orNull: file.version.modified?.rawValue), .text(state),
                    .integer(orNull: since?.rawValue), .integer(orNull: file.missingSince?.rawValue),
                ])
        }
    }

    private static let selectRemembered = """
        SELECT name, size, modified, state, seen_since, missing_since FROM polled_files \
        WHERE route = ?1 AND directory = ?2
        """

    public func remembered(
        by route: String, in directory: TransferURL
    ) throws(StoreError) -> [RememberedFile] {
        try guarded { () throws(SQLiteError) in
            try connection.all(Self.selectRemembered, [.text(route), .text(directory.text)]) {
                (row) throws(SQLiteError) in try RememberedFile(row: row)
            }
        }
    }
}

extension RememberedFile {
    fileprivate init(row: SQLiteRow) throws(SQLiteError) {
        let state: State
        switch (row.text(3), row.integerOrNil(4)) {
        case ("seen", let since?): state = .seen(since: Timestamp(rawValue: since))
        case ("taken", nil): state = .taken
        case ("refused", nil): state = .refused
        case (let text, _): throw .malformed("a polled file is '\(text)', which is no state of one")
        }
        let time: (Int32) -> Timestamp? = { row.integerOrNil($0).map(Timestamp.init(rawValue:)) }
        self.init(
            name: row.bytes(0), version: FileVersion(size: row.integerOrNil(1), modified: time(2)),
            state: state, missingSince: time(5))
    }
}
