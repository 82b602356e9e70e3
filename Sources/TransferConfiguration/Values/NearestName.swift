/// The known name that a mistyped one was meant to be.
public enum NearestName {
    /// The nearest of `known` when no more than a third of its bytes (at least two) would have to change.
    public static func of(_ name: String, among known: [String]) -> String? {
        let found = known.map { (name: $0, distance: distance(name.lowercased(), $0)) }
            .min { $0.distance < $1.distance }
        guard let found, found.distance <= max(2, found.name.utf8.count / 3) else { return nil }
        return found.distance < found.name.utf8.count ? found.name : nil
    }

    /// `; did you mean 'y'?`, or nothing.
    public static func question(_ name: String, among known: [String]) -> String {
        of(name, among: known).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Edit distance with two neighbours swapped as one step (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.utf8.prefix(64))
        let right = Array(right.utf8)
        var before: [Int] = []
        var above = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isEqual = left[row] == right[column]
                var least = min(
                    above[column] + (isEqual ? 0 : 1), above[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, before[column - 1] + 1)
                }
                current.append(least)
            }
            before = above
            above = current
        }
        return above[right.count]
    }
}
