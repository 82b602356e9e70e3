internal import TransferConfiguration
internal import TransferModel

/// A file that describes jobs in JSON: one object a job, several one after the other or in one list.
struct JobFile {
    /// One job, as the command line would have asked for it.
    struct Entry {
        let order: Order
        let options: OrderOptions
        /// For what is found wrong later.
        let item: JobFileItem
    }

    let entries: [Entry]

    /// - Parameters:
    ///   - file: as it is shown in messages.
    ///   - options: of the command line; a job's own go before them.
    init(_ bytes: [UInt8], file: String, options: OrderOptions) throws(CommandError) {
        let nodes: [JSONNode]
        do throws(InvalidJSON) {
            nodes = try JSONText.values(bytes)
        } catch {
            throw .usage("\(file), line \(error.line): \(error.sentence)")
        }
        var items = nodes.map { JobFileItem(node: $0, file: file, path: "") }
        if items.count == 1, case .array = items[0].node.value { items = try items[0].elements() }
        guard !items.isEmpty else { throw .usage("\(file) describes no job") }
        var entries: [Entry] = []
        for item in items { entries.append(try JobFile.entry(item, options)) }
        self.entries = entries
    }

    private static let general = ["kind", "url", "priority", "not_before", "expires", "label", "options"]

    private static func keys(of kind: OrderParser.Kind) -> [String] {
        switch kind {
        case .upload: general + ["file"]
        case .form: general + ["fields", "headers", "unknown"]
        case .download: general + ["output", "directory", "checksum", "checksum_url", "mirrors"]
        }
    }

    private static func entry(_ item: JobFileItem, _ options: OrderOptions) throws(CommandError) -> Entry {
        let named = try item.members().first { $0.name == "kind" }
        guard let named else { throw item.error("'kind' is missing: upload, form or download") }
        guard let kind = OrderParser.Kind(rawValue: try named.item.text()) else {
            throw named.item.error("expected upload, form or download")
        }
        let job = JobFileJob(item: item, values: try item.keyed(keys(of: kind)), kind: kind)
        return Entry(order: try job.order(), options: try job.options(over: options), item: item)
    }
}
