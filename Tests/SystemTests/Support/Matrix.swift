import Synchronization

/// What each server was seen to do, printed as a table when all are there.
final class Matrix: Sendable {
    enum Feature: String, CaseIterable, Sendable {
        case upload
        case empty = "empty file"
        case name = "blanks, #"
        case deep = "new directory"
        case replace, rename, skip, fail, mtime, resume
        case after = "commands"
        case list = "ls"
        case move = "mv"
        case remove = "rm"
        case make = "mkdir"
    }

    enum Cell: Sendable, Hashable {
        case works
        /// Why this server cannot, as a sentence.
        case cannot(String)
        case broken(String)
    }

    typealias Row = [Feature: Cell]

    private let rows = Mutex<[(name: String, row: Row)]>([])
    private let count: Int

    /// - Parameter count: how many servers there will be.
    init(count: Int) { self.count = count }

    func add(_ row: Row, named name: String) {
        let all = rows.withLock { rows in
            rows.append((name, row))
            return rows.count == count ? rows : nil
        }
        if let all { print(Self.table(all)) }
    }

    private static func table(_ rows: [(name: String, row: Row)]) -> String {
        let first = (rows.map(\.name.count).max() ?? 0) + 2
        let widths = Feature.allCases.map { max($0.rawValue.count, 6) + 2 }
        let heads = zip(Feature.allCases, widths).map { padded($0.rawValue, $1) }
        var lines = ["MATRIX", padded("", first) + heads.joined()]
        var notes: [String] = []
        for (name, row) in rows {
            let cells = zip(Feature.allCases, widths).map { feature, width in
                switch row[feature] {
                case .works: return padded("works", width)
                case .cannot(let reason):
                    if !notes.contains(reason) { notes.append(reason) }
                    return padded("(\((notes.firstIndex(of: reason) ?? 0) + 1))", width)
                case .broken: return padded("BROKEN", width)
                case nil: return padded("?", width)
                }
            }
            lines.append(padded(name, first) + cells.joined())
        }
        return (lines + notes.enumerated().map { "(\($0.offset + 1)) \($0.element)" }).joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
