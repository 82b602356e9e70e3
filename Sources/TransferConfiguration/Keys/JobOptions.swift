public import TransferModel

/// The keys that a job may have, by its kind and by what its address speaks.
public enum JobOptions {
    /// Each key of requests to web servers with the sentence that explains it, in the order of the table.
    public static var requestKeys: [(name: String, documentation: String)] {
        RequestWishes.keys.map { ($0.name, $0.documentation) }
    }

    /// The same of downloads.
    public static var fetchKeys: [(name: String, documentation: String)] {
        FetchWishes.keys.map { ($0.name, $0.documentation) }
    }

    /// Whether there is any for such a job.
    public static func areThere(for kind: JobKind, scheme: Scheme) -> Bool { !keys(kind, scheme).isEmpty }

    /// Reads the values of all `--option`; a repeated key keeps its order.
    public static func read(
        _ options: [String], for kind: JobKind, scheme: Scheme
    ) throws(InvalidOption) -> JobWishes {
        let table = OptionTable(keys: keys(kind, scheme), owner: owner(kind, scheme))
        let wishes = try table.read(options, into: JobWishes())
        for field in wishes.request.headers ?? [] {
            if let objection = objection(to: field) { throw InvalidOption("'header': \(objection)") }
        }
        return wishes
    }

    /// Why a field may not stand in a command line, which everybody on the machine can read; nil when it may.
    public static func objection(to field: HeaderField) -> String? {
        guard field.name.lowercased() == "authorization" else { return nil }
        return "a login stands in the file that 'netrc =' names, never in a command line; see 'auth'"
    }

    /// Every wish for requests that is set, in the order of the table.
    public static func values(of wishes: RequestWishes) -> [(key: String, values: OptionValues)] {
        OptionTable(keys: RequestWishes.keys, owner: "a request").values(of: wishes)
    }

    /// Every wish for a download that is set, in the order of the table.
    public static func values(of wishes: FetchWishes) -> [(key: String, values: OptionValues)] {
        OptionTable(keys: FetchWishes.keys, owner: "a download").values(of: wishes)
    }

    private static func keys(_ kind: JobKind, _ scheme: Scheme) -> [ConfigurationKey<JobWishes>] {
        let delivery = DeliveryWishes.keys.map { $0.within(\JobWishes.delivery) }
        let request = RequestWishes.keys.map { $0.within(\JobWishes.request) }
        switch kind {
        case .upload: return delivery + (scheme.isWeb ? request : [])
        case .form: return request
        case .download:
            let some = request.filter { RequestWishes.keysOfDownloads.contains($0.name) }
            let placing = delivery.filter { DeliveryWishes.keysOfDownloads.contains($0.name) }
            let fetch = FetchWishes.keys.map { $0.within(\JobWishes.fetch) }
            if scheme.isWeb { return placing + some + fetch }
            return placing + fetch.filter { !FetchWishes.keysOfWebServers.contains($0.name) }
        case .remote: return []
        }
    }

    private static func owner(_ kind: JobKind, _ scheme: Scheme) -> String {
        switch kind {
        case .upload: "an upload"
        case .form: "a form"
        case .download: scheme.isWeb ? "a download" : "a download from \(scheme.rawValue)://"
        case .remote: "a remote job"
        }
    }
}
