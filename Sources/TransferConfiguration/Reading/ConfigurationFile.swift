import TransferModel

/// One configuration file, read: its sections in order, and what is wrong with its lines.
struct ConfigurationFile {
    struct Section {
        let header: SectionHeader
        var entries: [ConfigurationEntry] = []
    }

    let path: FilePath
    private(set) var sections: [Section] = []
    private(set) var problems: [ConfigurationProblem] = []
    /// Whether a line that could not be read may have been one of `[transferd]`.
    private(set) var hidesGeneral = false

    init(path: FilePath, bytes: [UInt8]) {
        self.path = path
        let text = ConfigurationText(bytes, file: path)
        problems = text.problems
        hidesGeneral = Self.hidesGeneral(text)
        do throws(ConfigurationProblems) {
            sort(try INIParser.entries(of: text.cleaned, file: path), under: text.headers)
        } catch {
            problems += error.problems
            hidesGeneral = true
        }
        problems.sort { $0.place.line < $1.place.line }
    }

    /// A header that is broken or of no known kind may have been meant for it, and so may a line above all headers.
    private static func hidesGeneral(_ text: ConfigurationText) -> Bool {
        let kinds = text.headers.map { header in header.header.flatMap { SectionKind(rawValue: $0.kind) } }
        return kinds.contains(nil)
            || text.problems.contains { problem in
                let index = text.headers.lastIndex { $0.line <= problem.place.line }
                return index.map { kinds[$0] == .transferd } ?? true
            }
    }

    /// Keys below a broken header are passed over: the header was reported.
    private mutating func sort(
        _ entries: [ConfigurationEntry], under headers: [(line: Int, header: SectionHeader?)]
    ) {
        var rest = entries[...]
        for entry in rest.prefix(while: { $0.line < headers.first?.line ?? .max }) {
            let place = ConfigurationPlace(file: path, line: entry.line)
            hidesGeneral = true
            problems.append(
                ConfigurationProblem(
                    at: place, key: entry.key, "expected a section such as [transferd] above the first key"))
            rest.removeFirst()
        }
        for (index, (_, header)) in headers.enumerated() {
            let end = index + 1 < headers.count ? headers[index + 1].line : .max
            let own = rest.prefix { $0.line < end }
            rest.removeFirst(own.count)
            if let header { sections.append(Section(header: header, entries: Array(own))) }
        }
    }
}
