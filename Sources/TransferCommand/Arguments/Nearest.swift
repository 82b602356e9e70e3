/// The known name that somebody probably meant.
enum Nearest {
    /// The candidate with the fewest changed letters; nil when none is near.
    static func name(to written: String, in candidates: [String]) -> String? {
        let best = candidates.map { ($0, distance(Array(written.utf8), Array($0.utf8))) }.min { $0.1 < $1.1 }
        guard let best, best.1 <= max(1, written.utf8.count / 3) else { return nil }
        return best.0
    }

    /// Levenshtein's distance.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
