internal import TransferModel

/// What the reply to FEAT means for transfers, in words.
struct FTPFeatureReport {
    private let features: ServerFeatures

    init(_ features: ServerFeatures) { self.features = features }

    func report(into description: inout ServerDescription) {
        guard !features.lines.isEmpty else {
            description.add("features", "none are told (FEAT)")
            return
        }
        description.add("features", features.lines.joined(separator: ", "))
        description.add("resume", features.has("REST") ? "yes (REST STREAM)" : "not told")
        description.add("sizes", words(of: ["SIZE", "MLST"]) ?? "not told: what arrived cannot be compared")
        description.add("lists", features.has("MLST") || features.has("MLSD") ? "MLSD" : "LIST")
        description.add("checksums", checksums ?? "none")
        description.add("times", words(of: ["MDTM", "MFMT"]) ?? "not told")
        if features.has("UTF8") { description.add("names", "UTF-8") }
    }

    private func words(of names: [String]) -> String? {
        let known = names.filter { features.has($0) }
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }

    private var checksums: String? {
        let names = FTPChecksum.ways(features).map(\.name)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
}
