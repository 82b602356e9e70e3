internal import TransferConfiguration
internal import TransferModel

/// What a job was asked to do, as the `spec` of `show --json`.
struct SpecificationRecord {
    private let description: JobDescription
    private let places: Places

    init(_ description: JobDescription, places: Places) {
        self.description = description
        self.places = places
    }

    var json: JSONValue {
        switch description {
        case .upload(let upload):
            JSONValue(["source": source(upload.source), "options": options(upload.delivery, upload.request)])
        case .form(let form): self.form(form)
        case .download(let download):
            JSONValue([
                "directory": .text(download.directory.description),
                "target": .text(download.target.description),
                "checksums": .array((download.checksums ?? []).map { .text($0.description) }),
                "checksum_url": JSONValue(download.checksumList?.description),
                "mirrors": .array((download.mirrors ?? []).map { .text($0.description) }),
                "options": options(download.delivery, download.request, download.fetch),
            ])
        case .remote(let remote): self.remote(remote)
        }
    }

    /// Each wish under its key; a list for what may stand several times.
    private func options(
        _ delivery: DeliveryWishes?, _ request: RequestWishes?, _ fetch: FetchWishes? = nil
    ) -> JSONValue {
        guard delivery != nil || request != nil || fetch != nil else { return .null }
        let values =
            DeliveryOptions.values(of: delivery ?? DeliveryWishes())
            + JobOptions.values(of: request ?? RequestWishes())
            + JobOptions.values(of: fetch ?? FetchWishes())
        return .object(
            values.map { key, values in
                JSONValue.Member(
                    name: key,
                    value: values.isRepeated
                        ? .array(values.texts.map { .text($0) }) : .text(values.texts.first ?? ""))
            })
    }

    private func form(_ form: FormDescription) -> JSONValue {
        JSONValue([
            "parts": .array(form.parts.map(part)),
            "headers": .array(form.headers.map { .text("\($0.name): \($0.value)") }),
            "unknown": JSONValue(form.unknownOutcome?.rawValue),
            "templates": .boolean(form.hasTemplates ?? false), "options": options(nil, form.request),
        ])
    }

    private func remote(_ remote: RemoteDescription) -> JSONValue {
        let operation = JSONValue.text(remote.operation.name.rawValue)
        let queued = JSONValue.boolean(remote.isQueued)
        switch remote.operation {
        case .putAway(let order):
            return JSONValue([
                "operation": operation, "queued": queued, "to": JSONValue(order.moveTo?.description),
            ])
        case .list, .remove, .removeDirectory, .get, .poll:
            return JSONValue(["operation": operation, "queued": queued])
        case .removeRemains(let path):
            return JSONValue(["operation": operation, "queued": queued, "path": .text(path.description)])
        case .rename(let path):
            return JSONValue(["operation": operation, "queued": queued, "to": .text(path.description)])
        case .makeDirectory(let withParents):
            return JSONValue(["operation": operation, "queued": queued, "parents": .boolean(withParents)])
        case .quote(let commands):
            let texts = commands.map { JSONValue.text($0.description) }
            return JSONValue(["operation": operation, "queued": queued, "commands": .array(texts)])
        case .check(let writes):
            return JSONValue(["operation": operation, "queued": queued, "writes": .boolean(writes)])
        }
    }

    private func part(_ part: FormPart) -> JSONValue {
        let headers: JSONValue =
            part.headers.map { .array($0.map { .text("\($0.name): \($0.value)") }) } ?? .null
        switch part.content {
        case .text(let text, let type):
            return JSONValue([
                "name": .text(part.name), "value": .text(text), "type": JSONValue(type), "headers": headers,
            ])
        case .file(let file, let type, let filename):
            return JSONValue([
                "name": .text(part.name), "file": source(file), "type": JSONValue(type),
                "filename": .text((filename ?? file.name).description),
                "filename*": part.hasEncodedFilename == true ? .text("utf-8") : .null, "headers": headers,
            ])
        }
    }

    private func source(_ file: SourceFile) -> JSONValue {
        let place =
            switch file.root {
            case .spool: "spool"
            case .intake: "intake"
            case .inPlace: "in place"
            }
        return JSONValue([
            "path": .text(file.absolutePath(in: places).description), "name": .text(file.name.description),
            "kept": .text(place),
        ])
    }
}
