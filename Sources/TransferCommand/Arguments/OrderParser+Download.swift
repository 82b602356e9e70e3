internal import TransferModel

/// Reads the words after `enqueue download`.
extension OrderParser {
    static let ofDownloads: [Option] = [
        .output, .directory, .glob, .checksum, .checksumURL, .mirror, .segments, .ifNewer, .remoteName,
    ]

    func download(_ operands: [[UInt8]]) throws(CommandError) -> Order {
        guard !operands.isEmpty else { throw .usage("'enqueue download' needs an address: URL...") }
        var urls: [TransferURL] = []
        for operand in operands {
            urls.append(try Self.address(operand, .download))
        }
        let place = try place()
        let globs = try globs()
        guard globs.isEmpty else { return try directory(urls, globs, place) }
        if case .file = place, urls.count > 1 {
            throw .usage("-o names one file, but there are \(urls.count) addresses; use -d for a directory")
        }
        let terms = try terms()
        // Each of the addresses takes what all of them take.
        let scheme = urls.map(\.origin.scheme).first { !$0.isWeb } ?? urls[0].origin.scheme
        let wishes = try wishes(.download, scheme)
        if let objection = terms.objection(urls, to: place, wishes.fetch) { throw .usage(objection) }
        for url in urls { _ = try terms.list(for: url) }
        return .download(urls, to: place, terms, wishes)
    }

    private func terms() throws(CommandError) -> DownloadTerms {
        var terms = DownloadTerms()
        terms.checksumList = try words.text(.checksumURL)
        for found in words.options where found.option == .checksum {
            terms.checksums.append(try DownloadTerms.checksum(try Words.text(found.value, .checksum)))
        }
        for found in words.options where found.option == .mirror {
            terms.mirrors.append(try Self.address(found.value, .download))
        }
        return terms
    }

    private func globs() throws(CommandError) -> [String] {
        var globs: [String] = []
        for found in words.options where found.option == .glob {
            let text = try Words.text(found.value, .glob)
            guard !text.isEmpty, !text.contains("/") else {
                throw .usage("--glob needs a pattern for names such as '*.csv', without '/'")
            }
            globs.append(text)
        }
        return globs
    }

    private func directory(
        _ urls: [TransferURL], _ globs: [String], _ place: DownloadPlace
    ) throws(CommandError) -> Order {
        guard urls.count == 1, urls[0].isDirectory else {
            throw .usage("--glob needs exactly one address, of a directory: one that ends in '/'")
        }
        if case .file = place { throw .usage("-o names one file; with --glob use -d for a directory") }
        let terms = try terms()
        guard terms.checksums.isEmpty, terms.mirrors.isEmpty else {
            let option = terms.mirrors.isEmpty ? "--checksum" : "--mirror"
            throw .usage("\(option) is for one file, and --glob may find many")
        }
        let url = urls[0]
        _ = try terms.list(for: url)
        if let objection = url.serverPathObjection { throw .usage(Shown.text(objection)) }
        let wishes = try wishes(.download, url.origin.scheme)
        return .directory(url, globs: globs, to: place, wishes, terms: terms)
    }

    private func place() throws(CommandError) -> DownloadPlace {
        switch (words.value(.output), words.value(.directory)) {
        case (.some, .some):
            throw .usage("-o and -d cannot be used together: -o names the file, -d its directory")
        case (.some([UInt8(ascii: "-")]), nil):
            throw .usage("-o - is not possible: a job writes files, never standard output")
        case (.some(let bytes), nil):
            guard let path = FilePath(bytes: bytes) else { throw .usage("-o needs the path of a file") }
            guard bytes.last != UInt8(ascii: "/") else {
                throw .usage("-o '\(Shown.bytes(bytes))' is a directory; use -d for it")
            }
            return .file(path)
        case (nil, .some(let bytes)):
            guard let path = FilePath(bytes: bytes) else { throw .usage("-d needs the path of a directory") }
            return .directory(path)
        case (nil, nil): return .standard
        }
    }
}
