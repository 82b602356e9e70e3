internal import TransferModel

/// All that one try of a form sends: its address, its own header fields, and the layout of its body over open files.
struct FormContent: Sendable {
    let url: TransferURL
    let headers: [HeaderField]
    let body: FormBody
    /// In the order of their parts.
    let sources: [FormBodyReader.Source]

    /// Opens the form's files and lays the body out around the sizes that they have now. Blocks: on a disk queue.
    ///
    /// Where the form tells the SHA-256 of its file, the file is read once before, and compared while it is sent.
    /// - Parameter digests: takes the file's bytes where ``FormFilling/needsSHA256(_:at:)``.
    static func open(
        _ form: FormDescription, of job: Job, below places: Places, digests: SourceDigests?
    ) throws(Failure) -> FormContent {
        let opener = SourceOpener(places: places)
        var sources: [FormBodyReader.Source] = []
        for source in form.parts.compactMap(\.file) {
            let file = try opener.open(source)
            do throws(SystemError) {
                sources.append(.init(file: file, identity: try file.identity()))
            } catch {
                throw error.failure
            }
        }
        if let digests, let first = sources.first {
            sources[0].sha256 = try digests.read(first.file, of: first.identity)[.sha256]
        }
        return try FormContent(form, of: job, sources)
    }

    /// Lays the body out.
    init(_ form: FormDescription, of job: Job, _ sources: [FormBodyReader.Source]) throws(Failure) {
        var values: TemplateValues?
        if form.hasTemplates == true, let first = sources.first,
            let file = form.parts.compactMap(\.file).first
        {
            values = TemplateValues(
                job: job, final: RemotePath(isAbsolute: false, names: [file.name.bytes]),
                size: first.identity.size.rawValue, modified: first.identity.modified, sha256: first.sha256)
        }
        let filling = FormFilling(form: form, types: .system, values: values)
        body = try FormBody(
            parts: try filling.parts(), sizes: sources.map(\.identity.size.rawValue), boundary: .random())
        url = try filling.url(job.url)
        headers = try filling.headers()
        self.sources = sources
    }
}
