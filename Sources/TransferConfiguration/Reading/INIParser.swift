internal import CInih
import TransferModel

/// One `KEY = VALUE` line.
struct ConfigurationEntry: Hashable {
    let key: String
    let value: String
    let line: Int
}

/// libinih over a text in memory.
enum INIParser {
    /// The lines in order, whatever sections they stand in; a line that libinih refuses is a problem.
    static func entries(
        of cleaned: [UInt8], file: FilePath
    ) throws(ConfigurationProblems) -> [ConfigurationEntry] {
        _ = isSetUp
        var entries: [ConfigurationEntry] = []
        let text = cleaned.map(CChar.init(bitPattern:)) + [0]
        let status = withUnsafeMutablePointer(to: &entries) { collected in
            ini_parse_string(text, collect, collected)
        }
        guard status == 0 else {
            let sentence =
                status > 0 ? "expected 'KEY = VALUE'" : "there is not enough memory to read the file"
            let place = ConfigurationPlace(file: file, line: max(0, Int(status)))
            throw ConfigurationProblems([ConfigurationProblem(at: place, sentence)])
        }
        return entries
    }

    private static let isSetUp: Bool = {
        transferd_ini_set_up(Int32(ConfigurationText.longestLine))
        return true
    }()

    private static let collect: ini_handler = { context, _, key, value, line in
        guard let context, let key, let value else { return 0 }
        let entry = ConfigurationEntry(
            key: String(cString: key), value: String(cString: value), line: Int(line))
        context.assumingMemoryBound(to: [ConfigurationEntry].self).pointee.append(entry)
        return 1
    }
}
