internal import TransferConfiguration
internal import TransferModel

/// Reads the words after `enqueue`.
struct OrderParser {
    let words: Words

    /// What can be enqueued.
    enum Kind: String, CaseIterable {
        case upload, form, download

        /// The addresses that it goes to.
        var schemes: [Scheme] {
            switch self {
            case .upload: Scheme.allCases
            case .form: [.http, .https]
            case .download: Scheme.allCases
            }
        }
    }

    static let options: [Option] =
        general + [
            .from, .form, .formString, .header, .unknown, .option,
        ] + ofDownloads

    private static let general: [Option] = [.priority, .notBefore, .expires, .label, .rate, .wait, .json]

    func command() throws(CommandError) -> Command {
        if let file = words.value(.from) { return .enqueue(try jobs(from: file), try options()) }
        guard let name = words.operands.first,
            let kind = Kind(rawValue: String(decoding: name, as: UTF8.self))
        else {
            let what = words.operands.first.map { "not '\(Shown.bytes($0))'" } ?? "nothing was given"
            throw .usage("'enqueue' needs upload, form or download first, or --from; \(what)")
        }
        try refuseForeignOptions(kind)
        let operands = Array(words.operands.dropFirst())
        let order =
            switch kind {
            case .upload: try upload(operands)
            case .form: try form(operands)
            case .download: try download(operands)
            }
        return .enqueue(order, try options())
    }

    private func refuseForeignOptions(_ kind: Kind) throws(CommandError) {
        let own: [Option] =
            switch kind {
            case .upload: [.option]
            case .form: [.form, .formString, .header, .unknown, .option]
            case .download: OrderParser.ofDownloads + [.option]
            }
        let permitted = Option.common + OrderParser.general + own
        if let foreign = words.options.first(where: { !permitted.contains($0.option) }) {
            throw .usage("'enqueue \(kind.rawValue)' has no \(foreign.option.display)")
        }
    }

    /// Each job has its own kind there.
    private func jobs(from file: [UInt8]) throws(CommandError) -> Order {
        if let operand = words.operands.first {
            throw .usage("--from FILE says everything; '\(Shown.bytes(operand))' has no place beside it")
        }
        let permitted = Option.common + OrderParser.general + [.from]
        if let foreign = words.options.first(where: { !permitted.contains($0.option) }) {
            throw .usage(
                "\(foreign.option.display) has no place beside --from: each job has its own in the file")
        }
        return .jobs(from: try Input(file))
    }

    private func upload(_ operands: [[UInt8]]) throws(CommandError) -> Order {
        guard let last = operands.last, operands.count > 1 else {
            throw .usage("'enqueue upload' needs at least one FILE and then the address: FILE... URL")
        }
        if !OrderParser.looksLikeAddress(last), let first = operands.first,
            OrderParser.looksLikeAddress(first)
        {
            throw .usage("the address comes last: enqueue upload FILE... URL")
        }
        let url = try Self.address(last, .upload)
        var inputs: [Input] = []
        for operand in operands.dropLast() { inputs.append(try Input(operand)) }
        guard url.isDirectory || inputs.count == 1 else {
            throw .usage(
                "several files need the address of a directory: end '\(Shown.text(url.description))' in '/'")
        }
        if !url.isDirectory { try checkFileName(url) }
        let wishes = try wishes(.upload, url.origin.scheme)
        if let sentence = DeliveryOptions.contradiction(in: wishes.delivery, scheme: url.origin.scheme) {
            throw .usage(sentence)
        }
        return .upload(inputs, to: url, wishes)
    }

    /// What every `--option` says.
    func wishes(_ kind: JobKind, _ scheme: Scheme) throws(CommandError) -> JobWishes {
        var texts: [String] = []
        for found in words.options where found.option == .option {
            texts.append(try Words.text(found.value, .option))
        }
        if let segments = try words.text(.segments) { texts.append("segments=\(segments)") }
        if words.has(.ifNewer) { texts.append("if_newer=yes") }
        if words.has(.remoteName) { texts.append("remote_name=yes") }
        guard texts.isEmpty || JobOptions.areThere(for: kind, scheme: scheme) else {
            throw .usage("'enqueue \(kind.rawValue)' has no --option for \(scheme.rawValue):// addresses")
        }
        do throws(InvalidOption) {
            return try JobOptions.read(texts, for: kind, scheme: scheme)
        } catch {
            throw .usage("--option \(Shown.text(error.description))")
        }
    }

    private func form(_ operands: [[UInt8]]) throws(CommandError) -> Order {
        guard operands.count == 1 else {
            throw .usage("'enqueue form' needs exactly one address: URL -F NAME=VALUE …")
        }
        let url = try Self.address(operands[0], .form)
        var fields: [FormField] = []
        var headers: [HeaderField] = []
        for found in words.options {
            if found.option == .form { fields.append(try FormField(found.value)) }
            if found.option == .formString { fields.append(try FormField(verbatim: found.value)) }
            if found.option == .header { headers.append(try Self.header(found.value)) }
        }
        guard !fields.isEmpty else { throw .usage("a form needs at least one -F NAME=VALUE") }
        let request = try wishes(.form, url.origin.scheme).request
        return .form(url, fields, headers: headers, unknown: try unknownOutcome(), request: request)
    }
}

// MARK: - Values

extension OrderParser {
    private func options() throws(CommandError) -> OrderOptions {
        var options = OrderOptions()
        options.waits = words.has(.wait)
        options.json = words.has(.json)
        options.notBefore = try moment(.notBefore)
        options.expires = try moment(.expires)
        options.label = try label()
        if let text = try words.text(.rate) {
            guard let rate = Rate(text) else {
                throw .usage("--rate needs bytes a second such as 500K or 2M, not '\(Shown.text(text))'")
            }
            options.rate = rate
        }
        if let text = try words.text(.priority) {
            guard let priority = Int32(text) else {
                throw .usage("--priority needs a whole number, not '\(Shown.text(text))'")
            }
            options.priority = Int(priority)
        }
        return options
    }

    private func label() throws(CommandError) -> String? {
        guard let label = try words.text(.label) else { return nil }
        guard OrderOptions.isLabel(label) else {
            throw .usage("--label takes up to 1000 bytes of text without control characters")
        }
        return label
    }

    private func moment(_ option: Option) throws(CommandError) -> Moment? {
        guard let text = try words.text(option) else { return nil }
        guard let moment = Moment(text) else {
            let hint = DurationText.read(text) == nil ? "" : " (did you mean '+\(text)'?)"
            throw .usage(
                "\(option.display) needs a time such as \(Moment.forms); not '\(Shown.text(text))'\(hint)")
        }
        return moment
    }

    private func unknownOutcome() throws(CommandError) -> UnknownOutcome? {
        guard let text = try words.text(.unknown) else { return nil }
        guard let policy = UnknownOutcome(rawValue: text) else {
            throw .usage("--unknown takes retry or hold, not '\(Shown.text(text))'")
        }
        return policy
    }

    static func header(_ bytes: [UInt8]) throws(CommandError) -> HeaderField {
        let line = try Words.text(bytes, .header)
        if let field = HeaderField(line) {
            if let objection = JobOptions.objection(to: field) { throw .usage("--header: \(objection)") }
            return field
        }
        let name = line.prefix { $0 != ":" }.lowercased()
        throw HeaderField.reserved.contains(name)
            ? .usage("--header cannot set \(name): transferd sets it itself")
            : .usage("--header '\(Shown.text(line))' is not 'Name: value'")
    }

    /// An address of a scheme that fits the kind.
    static func address(_ bytes: [UInt8], _ kind: Kind) throws(CommandError) -> TransferURL {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("the address '\(Shown.bytes(bytes))' is not UTF-8: write such bytes as %XX")
        }
        let url: TransferURL
        do { url = try TransferURL(text) } catch { throw .usage(Shown.text(error.description)) }
        guard kind.schemes.contains(url.origin.scheme) else {
            let names = kind.schemes.map { "\($0.rawValue)://" }.joined(separator: ", ")
            throw .usage("'enqueue \(kind.rawValue)' takes \(names) but not \(url.origin.scheme.rawValue)://")
        }
        if kind == .upload || !url.origin.scheme.isWeb, let objection = url.serverPathObjection {
            throw .usage(Shown.text(objection))
        }
        return url
    }

    private func checkFileName(_ url: TransferURL) throws(CommandError) {
        guard url.fileName == nil else { return }
        throw .usage("the address '\(Shown.text(url.description))' does not end in the name of a file")
    }

    private static func looksLikeAddress(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains("://")
    }
}
