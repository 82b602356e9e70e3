internal import TransferConfiguration
internal import TransferModel

/// One object of a job file, its keys known, while it is read.
struct JobFileJob {
    let item: JobFileItem
    let values: [String: JobFileItem]
    let kind: OrderParser.Kind

    func order() throws(CommandError) -> Order {
        let url = try required("url").read { (item) throws(CommandError) in
            try OrderParser.address(Array(try item.text().utf8), kind)
        }
        switch kind {
        case .upload: return try upload(to: url)
        case .form: return try form(to: url)
        case .download: return try download(url)
        }
    }

    func options(over common: OrderOptions) throws(CommandError) -> OrderOptions {
        var options = common
        if let item = values["priority"] { options.priority = try item.integer() }
        if let item = values["label"] {
            options.label = try item.text()
            guard OrderOptions.isLabel(options.label ?? "") else {
                throw item.error("expected up to 1000 bytes of text without control characters")
            }
        }
        if let item = values["not_before"] { options.notBefore = try moment(item) }
        if let item = values["expires"] { options.expires = try moment(item) }
        return options
    }

    private func moment(_ item: JobFileItem) throws(CommandError) -> Moment {
        guard let moment = Moment(try item.text()) else {
            throw item.error("expected a time such as \(Moment.forms)")
        }
        return moment
    }

    private func required(_ key: String) throws(CommandError) -> JobFileItem {
        guard let value = values[key] else { throw item.error("'\(key)' is missing") }
        return value
    }

    // MARK: - Kinds

    private func upload(to url: TransferURL) throws(CommandError) -> Order {
        let file = try required("file")
        let input = try file.input()
        if !url.isDirectory, url.fileName == nil {
            throw try required("url").error("it does not end in the name of a file")
        }
        let wishes = try wishes(.upload, url.origin.scheme)
        if let sentence = DeliveryOptions.contradiction(in: wishes.delivery, scheme: url.origin.scheme) {
            throw (values["options"] ?? item).error(sentence)
        }
        return .upload([input], to: url, wishes)
    }

    /// What the command line says with `--option`.
    private func wishes(_ kind: JobKind, _ scheme: Scheme) throws(CommandError) -> JobWishes {
        guard let item = values["options"] else { return JobWishes() }
        var texts: [String] = []
        for (name, value) in try item.members() {
            for one in try value.elementsOrOne() { texts.append("\(name)=\(try one.word())") }
        }
        do throws(InvalidOption) {
            return try JobOptions.read(texts, for: kind, scheme: scheme)
        } catch {
            throw item.error(error.description)
        }
    }

    private func form(to url: TransferURL) throws(CommandError) -> Order {
        let fields = try JobFileFields.read(try required("fields"))
        var headers: [HeaderField] = []
        for item in try values["headers"]?.elements() ?? [] {
            headers.append(
                try item.read { (item) throws(CommandError) in
                    try OrderParser.header(Array(try item.text().utf8))
                })
        }
        var unknown: UnknownOutcome?
        if let item = values["unknown"] {
            unknown = UnknownOutcome(rawValue: try item.text())
            if unknown == nil { throw item.error("expected retry or hold") }
        }
        let request = try wishes(.form, url.origin.scheme).request
        return .form(url, fields, headers: headers, unknown: unknown, request: request)
    }

    private func download(_ url: TransferURL) throws(CommandError) -> Order {
        var place = DownloadPlace.standard
        if let item = values["output"] {
            guard values["directory"] == nil else {
                throw item.error("'output' and 'directory' exclude each other")
            }
            place = .file(try path(item))
        } else if let item = values["directory"] {
            place = .directory(try path(item))
        }
        let terms = try terms()
        let wishes = try wishes(.download, url.origin.scheme)
        if let objection = terms.objection([url], to: place, wishes.fetch) { throw item.error(objection) }
        if let item = values["checksum_url"] {
            _ = try item.read { (_) throws(CommandError) in try terms.list(for: url) }
        }
        return .download([url], to: place, terms, wishes)
    }

    private func terms() throws(CommandError) -> DownloadTerms {
        var terms = DownloadTerms()
        for item in try values["checksum"]?.elementsOrOne() ?? [] {
            let text = try item.text()
            terms.checksums.append(
                try item.read { (_) throws(CommandError) in try DownloadTerms.checksum(text) })
        }
        terms.checksumList = try values["checksum_url"]?.text()
        for item in try values["mirrors"]?.elementsOrOne() ?? [] {
            let text = try item.text()
            terms.mirrors.append(
                try item.read { (_) throws(CommandError) in
                    try OrderParser.address(Array(text.utf8), .download)
                })
        }
        return terms
    }

    private func path(_ item: JobFileItem) throws(CommandError) -> FilePath {
        guard let path = FilePath(try item.text()) else { throw item.error("expected a path") }
        return path
    }
}
