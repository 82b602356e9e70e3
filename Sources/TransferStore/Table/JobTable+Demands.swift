public import TransferModel

extension JobTable {
    private static let selectDemand = """
        SELECT origin, due FROM jobs INDEXED BY jobs_due \
        WHERE state = 'queued' AND origin > ?1 ORDER BY origin, due LIMIT 1
        """

    /// One seek for each origin, however many jobs it has.
    public func demands() throws(StoreError) -> [OriginDemand] {
        try read { () throws(SQLiteError) in
            var demands: [OriginDemand] = []
            var last = ""
            while let (text, due) = try demand(after: last) {
                guard let origin = Origin(text) else { throw .malformed("'\(text)' is no origin") }
                demands.append(OriginDemand(origin: origin, nextDue: Timestamp(rawValue: due)))
                last = text
            }
            return demands
        }
    }

    private func demand(after last: String) throws(SQLiteError) -> (String, Int64)? {
        try connection.first(Self.selectDemand, [.text(last)]) { (row) throws(SQLiteError) in
            (row.text(0), row.integer(1))
        }
    }
}
