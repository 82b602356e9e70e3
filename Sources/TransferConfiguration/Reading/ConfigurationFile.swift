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

    init(path: FilePath, bytes: [UInt8]) {
        self.path = path
        let text = ConfigurationText(bytes, file: path)
        problems = text.problems
        do throws(ConfigurationProblems) {
            sort(try INIParser.entries(of: text.cleaned, file: path), under: text.headers)
        } catch {
            problems += error.problems
        }
        problems.sort { $0.place.line < $1.place.line }
    }

    /// Keys below a broken header are passed over: the header was reported.
    private mutating func sort(
        _ entries: [ConfigurationEntry], under headers: [(line: Int, header: SectionHeader?)]
    ) {
        var rest = entries[...]
        for entry in rest.prefix(while: { $0.line < headers.first?.line ?? .max }) {
            let place = ConfigurationPlace(file: path, line: entry.line)
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
