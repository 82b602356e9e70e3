import TransferModel

/// A configuration file's lines before libinih sees them: headers are read, broken lines are reported and blanked,
/// so that one pass finds every problem and every line keeps its number.
struct ConfigurationText {
    private(set) var problems: [ConfigurationProblem] = []
    /// What is left for libinih; no NUL in it.
    private(set) var cleaned: [UInt8] = []
    /// Every line that starts with `[`; nil where the header is broken and its keys are to be passed over.
    private(set) var headers: [(line: Int, header: SectionHeader?)] = []
    private let file: FilePath

    /// What libinih's buffer holds, in bytes.
    static let longestLine = 65_536

    init(_ bytes: [UInt8], file: FilePath) {
        self.file = file
        let hasMark = bytes.starts(with: [0xef, 0xbb, 0xbf])
        let lines = bytes.dropFirst(hasMark ? 3 : 0)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            if let kept = keep(line, number: index + 1) { cleaned += kept }
            cleaned.append(UInt8(ascii: "\n"))
        }
    }

    /// The bytes of `line` that libinih may see.
    private mutating func keep(_ line: ArraySlice<UInt8>, number: Int) -> ArraySlice<UInt8>? {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        guard line.count <= Self.longestLine - 3 else {
            return report(number, "expected at most \(Self.longestLine - 3) bytes in a line")
        }
        guard let text = String(validating: line, as: UTF8.self)?.trimmingBlanks() else {
            return report(number, "expected UTF-8 text")
        }
        if text.isEmpty || text.hasPrefix("#") || text.hasPrefix(";") { return nil }
        guard !text.utf8.contains(where: { EscapedText.isControl($0) && $0 != UInt8(ascii: "\t") }) else {
            return report(number, "expected text without control bytes")
        }
        if text.hasPrefix("[") { return keepHeader(text, number) ? line : nil }
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex,
            !text[..<equals].contains(":")
        else {
            return report(number, "expected 'KEY = VALUE', '[KIND NAME]' or a comment")
        }
        return line
    }

    private mutating func keepHeader(_ text: String, _ number: Int) -> Bool {
        do throws(SectionHeader.Broken) {
            headers.append((number, try SectionHeader(text, line: number)))
            return true
        } catch {
            headers.append((number, nil))
            _ = report(number, error.sentence)
            return false
        }
    }

    private mutating func report(_ number: Int, _ sentence: String) -> ArraySlice<UInt8>? {
        problems.append(ConfigurationProblem(at: ConfigurationPlace(file: file, line: number), sentence))
        return nil
    }
}
