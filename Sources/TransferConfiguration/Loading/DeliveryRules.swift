import TransferModel

/// Wishes that cannot hold together.
struct DeliveryContradiction: Hashable {
    /// The keys that contradict one another.
    let keys: [String]
    let sentence: String

    /// Told at the first of the keys that stands in the section; nil when none of them does.
    func problem(in section: String, given: [String: ConfigurationPlace]) -> ConfigurationProblem? {
        guard let key = keys.first(where: { given[$0] != nil }), let place = given[key] else { return nil }
        let isShared = keys.contains { given[$0] == nil }
        return ConfigurationProblem(
            at: place, section: section, key: key,
            sentence + (isShared ? "; the other one stands in the route's [origin]" : ""))
    }
}

/// What the keys of a delivery demand of one another.
enum DeliveryRules {
    /// `scheme` is that of the address, where it is known.
    static func contradictions(in wishes: DeliveryWishes, scheme: Scheme? = nil) -> [DeliveryContradiction] {
        let others = scheme?.isWeb == true ? web(wishes) : [conflict(wishes), answer(wishes, scheme)]
        return (others + [text(wishes, scheme), companions(wishes)]).compactMap(\.self)
    }

    /// What an HTTP server cannot be asked for.
    private static func web(_ wishes: DeliveryWishes) -> [DeliveryContradiction?] {
        let resuming: Resuming? = wishes.resuming == .off ? nil : wishes.resuming
        return [
            ("resume", resuming?.rawValue, "a PUT always begins with the first byte"),
            ("permissions", wishes.permissions.map { "\($0)" }, "HTTP has no permission bits"),
            ("before", wishes.before?.first.map { "\($0)" }, "HTTP has no commands of a server's own"),
            ("after_sent", wishes.afterSent?.first.map { "\($0)" }, "HTTP has no commands of a server's own"),
        ].map { key, value, reason in
            value.map { value in
                DeliveryContradiction(
                    keys: [key], sentence: "'\(key) = \(value)' cannot hold for a web address: \(reason)")
            }
        }
    }

    private static func answer(_ wishes: DeliveryWishes, _ scheme: Scheme?) -> DeliveryContradiction? {
        guard wishes.verification == .answer, scheme != nil else { return nil }
        return DeliveryContradiction(
            keys: ["verify"],
            sentence: "'verify = answer' is for http:// and https://: elsewhere the size is always compared")
    }

    private static func conflict(_ wishes: DeliveryWishes) -> DeliveryContradiction? {
        guard wishes.temporaryName == .off, let policy = wishes.onConflict else { return nil }
        switch policy {
        case .replace: return nil
        case .rename, .skip, .fail:
            return DeliveryContradiction(
                keys: ["on_conflict", "temp_name"],
                sentence:
                    "'on_conflict = \(policy.rawValue)' and 'temp_name = off' exclude each other: without a "
                    + "temporary name the first byte replaces the old file")
        }
    }

    private static func text(_ wishes: DeliveryWishes, _ scheme: Scheme?) -> DeliveryContradiction? {
        guard wishes.transferType == .ascii else { return nil }
        if let scheme, scheme == .sftp || scheme.isWeb {
            let name = scheme.isWeb ? "HTTP" : "SFTP"
            return DeliveryContradiction(
                keys: ["transfer_type"],
                sentence:
                    "'transfer_type = ascii' cannot hold for an \(scheme.rawValue):// address: \(name) sends byte for byte"
            )
        }
        var other: (key: String, value: String)?
        switch wishes.verification {
        case .checksum, .readBack: other = ("verify", wishes.verification?.rawValue ?? "")
        case .size, .answer, nil: other = wishes.checksumFile.map { ("checksum_file", "\($0)") }
        }
        guard let other else { return nil }
        return DeliveryContradiction(
            keys: [other.key, "transfer_type"],
            sentence:
                "'\(other.key) = \(other.value)' and 'transfer_type = ascii' exclude each other: the server "
                + "changes the line ends of a text, and with them every checksum")
    }

    private static func companions(_ wishes: DeliveryWishes) -> DeliveryContradiction? {
        guard let marker = wishes.marker, marker == wishes.checksumFile else { return nil }
        return DeliveryContradiction(
            keys: ["marker", "checksum_file"],
            sentence: "'marker' and 'checksum_file' are both '\(marker)'; expected two names")
    }
}
