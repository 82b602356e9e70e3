import TransferModel

/// The first word of a section's header.
enum SectionKind: String, CaseIterable {
    case transferd, origin, route

    /// How such a header is written.
    var example: String {
        switch self {
        case .transferd: "[transferd]"
        case .origin: "[origin NAME]"
        case .route: "[route NAME]"
        }
    }

    var keyNames: [String] {
        switch self {
        case .transferd: GeneralSection.keys.map(\.name)
        case .origin: OriginSettings.keys.map(\.name)
        case .route: RouteSection.keys.map(\.name)
        }
    }

    /// What is wrong with a section's name; nil when it may be called so. A route's name is also a directory's.
    func objection(to name: String) -> String? {
        switch self {
        case .transferd:
            return name.isEmpty ? nil : "expected [transferd] without a name"
        case .origin, .route:
            guard !name.isEmpty else { return "expected a name: \(example)" }
            let isPlain = name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            }
            guard isPlain, !name.hasPrefix("."), !name.hasPrefix("-") else {
                return
                    "expected a name of letters, digits, '.', '_' and '-' that starts with none of '.' and '-'"
            }
            return nil
        }
    }
}
