public import TransferModel

/// What is not as it should be with origins: a few rows, which the daemon replaces whenever they change.
extension JobTable {
    private static let insertTrouble =
        "INSERT INTO origin_troubles (origin, effect, until, lanes, text) VALUES (?1, ?2, ?3, ?4, ?5)"

    func replaceTroubles(with troubles: [OriginTrouble]) throws(SQLiteError) {
        try connection.run("DELETE FROM origin_troubles")
        for trouble in troubles {
            let (effect, until, lanes): (String, Int64?, Int?) =
                switch trouble.effect {
                case .stopped: ("stopped", nil, nil)
                case .backedOff(let until): ("backedOff", until.rawValue, nil)
                case .limited(let lanes): ("limited", nil, lanes)
                }
            try connection.run(
                Self.insertTrouble, .text(trouble.origin.description), .text(effect),
                .integer(orNull: until), .integer(orNull: lanes.map(Int64.init)), .text(trouble.text))
        }
    }

    public func troubles() throws(StoreError) -> [OriginTrouble] {
        let sql = "SELECT origin, until, lanes, text FROM origin_troubles ORDER BY origin"
        return try read { () throws(SQLiteError) in
            try connection.all(sql) { (row) throws(SQLiteError) in
                guard let origin = Origin(row.text(0)) else {
                    throw .malformed("a trouble of '\(row.text(0))', which is no origin")
                }
                let effect: OriginTrouble.Effect =
                    if let until = row.integerOrNil(1) {
                        .backedOff(until: Timestamp(rawValue: until))
                    } else if let lanes = row.integerOrNil(2) {
                        .limited(lanes: Int(lanes))
                    } else {
                        .stopped
                    }
                return OriginTrouble(origin: origin, effect: effect, text: row.text(3))
            }
        }
    }
}
