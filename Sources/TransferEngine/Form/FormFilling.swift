internal import TransferModel

/// Makes of a form's description what is sent: placeholders filled in, names and types decided.
struct FormFilling {
    let form: FormDescription
    let types: MediaTypes
    /// nil: no text of the form is a template.
    let values: TemplateValues?

    /// Whether a text of the form, or its address, tells the SHA-256 of the file.
    static func needsSHA256(_ form: FormDescription, at url: TransferURL) -> Bool {
        guard form.hasTemplates == true else { return false }
        let texts = form.parts.flatMap { $0.texts } + form.headers.map(\.value) + [url.path]
        return texts.contains { $0.contains("{sha256}") }
    }

    func parts() throws(Failure) -> [FilledPart] {
        try form.parts.map { part throws(Failure) in
            FilledPart(
                name: Array(part.name.utf8), content: try content(part), headers: part.headers ?? [])
        }
    }

    private func content(_ part: FormPart) throws(Failure) -> FilledPart.Content {
        switch part.content {
        case .text(let text, let type): return .text(try filled(text), type: type)
        case .file(let file, let type, let filename):
            var name = file.name.bytes
            if let filename {
                name =
                    values == nil
                    ? filename.bytes : try filled(String(decoding: filename.bytes, as: UTF8.self))
            }
            guard FileName(bytes: name) != nil else {
                throw Failure(
                    .permanent,
                    text:
                        "'filename = \(filename?.description ?? "")' makes '\(EscapedText.escape(name))' of "
                        + "\(file.name), which is no name of a file")
            }
            return .file(
                type: type ?? types.type(of: name), filename: name,
                hasEncodedFilename: part.hasEncodedFilename ?? false)
        }
    }

    /// Values of header fields: bytes that none may have, and those that are no UTF-8, become `%XX`. The origin's, which
    /// are for other requests too, may be no templates, and stay as they are.
    func headers() throws(Failure) -> [HeaderField] {
        guard let values else { return form.headers }
        return try form.headers.map { field throws(Failure) in
            guard let template = try? NameTemplate(field.value) else { return field }
            let value = Self.harmless(template.filled(values.bytes))
            guard let filled = HeaderField("\(field.name): \(value)") else {
                throw Failure(.permanent, text: "the header '\(field.name)' cannot have the value '\(value)'")
            }
            return filled
        }
    }

    /// What stands for a placeholder is percent-encoded, slashes too.
    func url(_ url: TransferURL) throws(Failure) -> TransferURL {
        guard let values, !url.path.isEmpty else { return url }
        let path = try template(url.path).filled { Array(PercentEncoding.encode(values.bytes($0, $1)).utf8) }
        return url.replacingPath(String(decoding: path, as: UTF8.self))
    }

    private func filled(_ text: String) throws(Failure) -> [UInt8] {
        guard let values, !text.isEmpty else { return Array(text.utf8) }
        return try template(text).filled(values.bytes)
    }

    /// The configuration has read it before.
    private func template(_ text: String) throws(Failure) -> NameTemplate {
        do throws(InvalidTemplate) {
            return try NameTemplate(text)
        } catch {
            throw Failure(.permanent, text: "'\(EscapedText.escape(text.utf8))' is no template: \(error)")
        }
    }

    private static func harmless(_ bytes: [UInt8]) -> String {
        let isText = String(validating: bytes, as: UTF8.self) != nil
        return bytes.reduce(into: [UInt8]()) { kept, byte in
            let isKept = !EscapedText.isControl(byte) && (isText || byte < 0x80)
            kept += isKept ? [byte] : Array(PercentEncoding.encode([byte]).utf8)
        }.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension FormPart {
    /// What a template may stand in.
    fileprivate var texts: [String] {
        switch content {
        case .text(let text, _): [text]
        case .file(_, _, let filename): filename.map { [String(decoding: $0.bytes, as: UTF8.self)] } ?? []
        }
    }
}
