public import TransferModel

/// The keys of a delivery outside of a file: what `show` says of them, and what they demand of one another.
public enum DeliveryOptions {
    private static let table = OptionTable(keys: DeliveryWishes.keys, owner: "an upload")

    /// Each key with the sentence that explains it, in the order of the table.
    public static var keys: [(name: String, documentation: String)] {
        DeliveryWishes.keys.map { ($0.name, $0.documentation) }
    }

    /// Reads the values of all `--option`, each `KEY=VALUE`; a repeated key keeps its order.
    public static func read(_ options: [String]) throws(InvalidOption) -> DeliveryWishes {
        try table.read(options, into: DeliveryWishes())
    }

    /// Why such wishes cannot hold together at an address of `scheme`, as a sentence; nil when they can.
    public static func contradiction(in wishes: DeliveryWishes, scheme: Scheme) -> String? {
        DeliveryRules.contradictions(in: wishes, scheme: scheme).first?.sentence
    }

    /// Every wish that is set, in the order of the table.
    public static func values(of wishes: DeliveryWishes) -> [(key: String, values: OptionValues)] {
        table.values(of: wishes)
    }
}
