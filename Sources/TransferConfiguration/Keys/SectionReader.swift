import TransferModel

/// Reads the lines of one section by its table of keys and remembers where each key stood.
struct SectionReader<Section> {
    private(set) var section: Section
    private(set) var problems: [ConfigurationProblem] = []
    /// Where each key stood first.
    private(set) var given: [String: ConfigurationPlace] = [:]
    private let name: String
    private let keys: [ConfigurationKey<Section>]

    init(_ section: Section, name: String, keys: [ConfigurationKey<Section>]) {
        self.section = section
        self.name = name
        self.keys = keys
    }

    mutating func read(_ entries: [ConfigurationEntry], in file: FilePath) {
        for entry in entries { read(entry, at: ConfigurationPlace(file: file, line: entry.line)) }
    }

    private mutating func read(_ entry: ConfigurationEntry, at place: ConfigurationPlace) {
        guard let key = keys.first(where: { $0.name == entry.key }) else {
            return report(place, entry.key, unknown(entry.key))
        }
        let first = given[key.name]
        if first == nil { given[key.name] = place }
        if let first, !key.isRepeated {
            return report(
                place, key.name, "expected once in [\(name)], found a second time; the first is at \(first)")
        }
        guard key.allowsBlank || !entry.value.isEmpty else {
            return report(place, key.name, "expected a value, found nothing after '='")
        }
        do throws(Rejection) {
            try key.apply(&section, entry.value, first == nil)
        } catch {
            report(place, key.name, error.sentence)
        }
    }

    mutating func report(_ place: ConfigurationPlace, _ key: String?, _ sentence: String) {
        problems.append(ConfigurationProblem(at: place, section: name, key: key, sentence))
    }

    /// The value of an unknown key may be anything, a password too: it is not repeated.
    private func unknown(_ key: String) -> String {
        let home = SectionKind.allCases.first { $0.keyNames.contains(key) }
        if let home { return "not a key of [\(name)]; it belongs into a section \(home.example)" }
        let names = keys.map(\.name)
        let question = NearestName.question(key, among: names)
        return "not a key of [\(name)]"
            + (question.isEmpty ? "; expected one of \(names.joined(separator: ", "))" : question)
    }
}
