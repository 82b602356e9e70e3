public import TransferModel

/// The keys of a delivery outside of a file: `--option KEY=VALUE`, and what `show` says of them.
public enum DeliveryOptions {
    /// Each key with the sentence that explains it, in the order of the table.
    public static var keys: [(name: String, documentation: String)] {
        DeliveryWishes.keys.map { ($0.name, $0.documentation) }
    }

    /// Reads the values of all `--option`, each `KEY=VALUE`; a repeated key keeps its order.
    public static func read(_ options: [String]) throws(InvalidOption) -> DeliveryWishes {
        var wishes = DeliveryWishes()
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
                try key.apply(&wishes, value, isFirst)
            } catch {
                throw InvalidOption("'\(name)': \(error.sentence)")
            }
        }
        return wishes
    }

    /// Why such wishes cannot hold together at an address of `scheme`, as a sentence; nil when they can.
    public static func contradiction(in wishes: DeliveryWishes, scheme: Scheme) -> String? {
        DeliveryRules.contradictions(in: wishes, scheme: scheme).first?.sentence
    }

    /// What a wish is, as lines of a configuration would hold it.
    public struct Values: Hashable, Sendable {
        public let isRepeated: Bool
        /// Empty when a repeated key stands blank.
        public let texts: [String]
    }

    /// Every wish that is set, in the order of the table.
    public static func values(of wishes: DeliveryWishes) -> [(key: String, values: Values)] {
        DeliveryWishes.keys.compactMap { key in
            let texts = key.values(wishes)
            guard !texts.isEmpty else { return nil }
            return (key.name, Values(isRepeated: key.isRepeated, texts: texts.filter { !$0.isEmpty }))
        }
    }

    private static func key(_ name: String) throws(InvalidOption) -> ConfigurationKey<DeliveryWishes> {
        if let key = DeliveryWishes.keys.first(where: { $0.name == name }) { return key }
        let names = keys.map(\.name)
        let question = NearestName.question(name, among: names)
        throw InvalidOption(
            "'\(EscapedText.escape(name.utf8))' is no key of an upload"
                + (question.isEmpty ? "; expected one of \(names.joined(separator: ", "))" : question))
    }
}

/// Why the value of an `--option` is refused, as a sentence.
public struct InvalidOption: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
