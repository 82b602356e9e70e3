import TransferModel

/// A table of keys read outside of a file: `KEY=VALUE`, as words of a command line.
struct OptionTable<Section> {
    let keys: [ConfigurationKey<Section>]
    /// What the keys are of, as in "no key of an upload".
    let owner: String

    /// Reads the values of all `--option`, each `KEY=VALUE`, into `section`; a repeated key keeps its order.
    func read(_ options: [String], into section: Section) throws(InvalidOption) -> Section {
        var section = section
        var given: Set<String> = []
        for option in options {
            guard let equals = option.firstIndex(of: "=") else {
                throw InvalidOption("'\(EscapedText.escape(option.utf8))' has no '=': write KEY=VALUE")
            }
            let name = String(option[..<equals]).trimmingBlanks()
            let value = String(option[option.index(after: equals)...]).trimmingBlanks()
            let key = try key(name)
            let isFirst = given.insert(name).inserted
            guard isFirst || key.isRepeated else { throw InvalidOption("'\(name)' is expected once") }
            guard key.allowsBlank || !value.isEmpty else {
                throw InvalidOption("'\(name)' has nothing after its '='")
            }
            do throws(Rejection) {
                try key.apply(&section, value, isFirst)
            } catch {
                throw InvalidOption("'\(name)': \(error.sentence)")
            }
        }
        return section
    }

    private func key(_ name: String) throws(InvalidOption) -> ConfigurationKey<Section> {
        if let key = keys.first(where: { $0.name == name }) { return key }
        let names = keys.map(\.name)
        let question = NearestName.question(name, among: names)
        throw InvalidOption(
            "'\(EscapedText.escape(name.utf8))' is no key of \(owner)"
                + (question.isEmpty ? "; expected one of \(names.joined(separator: ", "))" : question))
    }

    /// Every key that is set, in the order of the table.
    func values(of section: Section) -> [(key: String, values: OptionValues)] {
        keys.compactMap { key in
            let texts = key.values(section)
            guard !texts.isEmpty else { return nil }
            return (key.name, OptionValues(isRepeated: key.isRepeated, texts: texts.filter { !$0.isEmpty }))
        }
    }
}

/// What a wish is, as lines of a configuration would hold it.
public struct OptionValues: Hashable, Sendable {
    public let isRepeated: Bool
    /// Empty when a repeated key stands blank.
    public let texts: [String]
}

/// Why the value of an `--option` is refused, as a sentence.
public struct InvalidOption: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
