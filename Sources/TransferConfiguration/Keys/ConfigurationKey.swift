/// One key of a section: its name, what it means, how it is read into the section and shown from it.
///
/// The tables of these drive parsing, the suggestions for misspelt names, and the check that
/// `config/transferd.conf` shows every key at its default.
struct ConfigurationKey<Section>: Sendable {
    let name: String
    /// The comment above the key in the configuration that is shipped.
    let documentation: String
    /// Whether the key may stand several times; its values keep their order.
    let isRepeated: Bool
    /// Whether `KEY =` with nothing after it is meant: an empty list.
    let allowsBlank: Bool
    /// Puts a value into the section; the first one of a section replaces a repeated key's default.
    let apply: @Sendable (inout Section, String, _ isFirst: Bool) throws(Rejection) -> Void
    /// The section's values as lines would hold them; empty when there is none.
    let values: @Sendable (Section) -> [String]

    /// A key that stands once and has a default.
    static func one<Value>(
        _ name: String, _ path: any WritableKeyPath<Section, Value> & Sendable, _ kind: ValueKind<Value>,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, documentation: documentation, isRepeated: false, allowsBlank: false,
            apply: { section, text, _ throws(Rejection) in section[keyPath: path] = try kind.read(text) },
            values: { [kind.write($0[keyPath: path])] })
    }

    /// A key that stands once or not at all.
    static func optional<Value>(
        _ name: String, _ path: any WritableKeyPath<Section, Value?> & Sendable, _ kind: ValueKind<Value>,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, documentation: documentation, isRepeated: false, allowsBlank: false,
            apply: { section, text, _ throws(Rejection) in section[keyPath: path] = try kind.read(text) },
            values: { $0[keyPath: path].map { [kind.write($0)] } ?? [] })
    }

    /// A key that may stand several times.
    static func list<Value>(
        _ name: String, _ path: any WritableKeyPath<Section, [Value]> & Sendable, _ kind: ValueKind<Value>,
        allowsBlank: Bool = false, _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, documentation: documentation, isRepeated: true, allowsBlank: allowsBlank,
            apply: { section, text, isFirst throws(Rejection) in
                let before = isFirst ? [] : section[keyPath: path]
                section[keyPath: path] = before + (text.isEmpty ? [] : [try kind.read(text)])
            },
            values: { $0[keyPath: path].map(kind.write) })
    }

    /// A key that may stand several times: nil where it does not stand at all, an empty list where it stands blank.
    static func optionalList<Value>(
        _ name: String, _ path: any WritableKeyPath<Section, [Value]?> & Sendable, _ kind: ValueKind<Value>,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, documentation: documentation, isRepeated: true, allowsBlank: true,
            apply: { section, text, isFirst throws(Rejection) in
                let before = isFirst ? [] : section[keyPath: path] ?? []
                section[keyPath: path] = before + (text.isEmpty ? [] : [try kind.read(text)])
            },
            values: { $0[keyPath: path].map { $0.isEmpty ? [""] : $0.map(kind.write) } ?? [] })
    }

    /// A key that may stand several times, never blank: nil where it does not stand at all.
    static func optionalValues<Value>(
        _ name: String, _ path: any WritableKeyPath<Section, [Value]?> & Sendable, _ kind: ValueKind<Value>,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            name: name, documentation: documentation, isRepeated: true, allowsBlank: false,
            apply: { section, text, isFirst throws(Rejection) in
                let before = isFirst ? [] : section[keyPath: path] ?? []
                section[keyPath: path] = before + [try kind.read(text)]
            },
            values: { $0[keyPath: path]?.map(kind.write) ?? [] })
    }

    /// The same key in a section that has this one as a part.
    func within<Outer>(
        _ path: any WritableKeyPath<Outer, Section> & Sendable
    ) -> ConfigurationKey<Outer> {
        ConfigurationKey<Outer>(
            name: name, documentation: documentation, isRepeated: isRepeated, allowsBlank: allowsBlank,
            apply: { outer, text, isFirst throws(Rejection) in
                try apply(&outer[keyPath: path], text, isFirst)
            },
            values: { values($0[keyPath: path]) })
    }
}
