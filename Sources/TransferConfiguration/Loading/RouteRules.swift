import TransferModel

/// What the keys of a route demand of one another.
enum RouteRules {
    static func check(_ reader: inout SectionReader<RouteSection>, at place: ConfigurationPlace) {
        for key in ["kind", "url"] where reader.given[key] == nil {
            let name = reader.section.options.name
            reader.report(place, key, "missing in [route \(name)]; expected \(example(key))")
        }
        if let kind = reader.section.kind {
            checkKeys(&reader, kind)
            checkScheme(&reader, kind)
            checkAfter(&reader, kind)
        }
        checkWebKeys(&reader)
        checkTLS(&reader)
    }

    private static func example(_ key: String) -> String {
        key == "kind"
            ? "'kind = upload', 'kind = form' or 'kind = fetch'"
            : "an address such as 'url = ftp://user@host/directory/'"
    }

    private static func checkKeys(_ reader: inout SectionReader<RouteSection>, _ kind: RouteSettings.Kind) {
        for (other, keys) in RouteSection.keysOfOneKind where other != kind {
            for (key, place) in reader.given where keys.contains(key) {
                reader.report(
                    place, key,
                    "expected in a route with 'kind = \(other.rawValue)' only, found in one with "
                        + "'kind = \(kind.rawValue)'")
            }
        }
    }

    private static func checkWebKeys(_ reader: inout SectionReader<RouteSection>) {
        guard let scheme = reader.section.url?.origin.scheme, !scheme.isWeb else { return }
        for (key, place) in reader.given where RouteSection.keysOfWebServers.contains(key) {
            reader.report(
                place, key,
                "expected in a route to http:// or https:// only, found in one to \(scheme.rawValue)://")
        }
    }

    private static func checkScheme(_ reader: inout SectionReader<RouteSection>, _ kind: RouteSettings.Kind) {
        guard let url = reader.section.url, let place = reader.given["url"] else { return }
        let scheme = url.origin.scheme
        if hasBlank(url.path, isTemplate: kind == .form) {
            reader.report(
                place, "url", "expected '%20' for a blank in the address; a comment has a line of its own")
        }
        switch kind {
        case .form where !scheme.isWeb:
            reader.report(
                place, "url", "expected http:// or https:// with 'kind = form', found '\(scheme.rawValue)://'"
            )
        case .upload:
            if let objection = url.serverPathObjection { reader.report(place, "url", objection) }
        case .fetch:
            if let objection = url.serverPathObjection {
                reader.report(place, "url", objection)
            } else if !url.isDirectory {
                reader.report(
                    place, "url", "expected a directory with 'kind = fetch': an address that ends in '/'")
            }
        case .form:
            checkTemplate(&reader, url, place)
            checkHeaders(&reader)
        }
    }

    /// A placeholder may hold one.
    private static func hasBlank(_ path: String, isTemplate: Bool) -> Bool {
        var depth = 0
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            case 0x20 where depth == 0 || !isTemplate: return true
            case _: break
            }
        }
        return false
    }

    private static func checkAfter(_ reader: inout SectionReader<RouteSection>, _ kind: RouteSettings.Kind) {
        let permitted = RouteSettings.After.permitted(in: kind)
        if let after = reader.section.after, let place = reader.given["after"], !permitted.contains(after) {
            let names = permitted.map { "'\($0.rawValue)'" }.joined(separator: " or ")
            reader.report(
                place, "after", "expected \(names) with 'kind = \(kind.rawValue)', found '\(after.rawValue)'")
        }
        if kind == .fetch, let place = reader.given["settle"] {
            reader.report(
                place, "settle", "has no meaning with 'kind = fetch': files settle for one 'interval'")
        }
        let moves = reader.section.after == .move
        if kind == .fetch, moves, reader.given["move_to"] == nil, let place = reader.given["after"] {
            reader.report(place, "after", "'move' needs 'move_to = DIRECTORY/'")
        }
        if kind == .fetch, !moves, let place = reader.given["move_to"] {
            reader.report(place, "move_to", "is for 'after = move'")
        }
    }

    /// The path and the query of a form's address are a template.
    private static func checkTemplate(
        _ reader: inout SectionReader<RouteSection>, _ url: TransferURL, _ place: ConfigurationPlace
    ) {
        if "\(url.origin)".contains("{") {
            return reader.report(
                place, "url", "a placeholder may stand in the path and the query of the address alone")
        }
        guard !url.path.isEmpty else { return }
        do throws(Rejection) {
            try FormTemplate.read(url.path, expected: "an address such as https://host/in/{name}")
        } catch {
            reader.report(place, "url", error.sentence)
        }
    }

    /// The value of a form's own header field is a template.
    private static func checkHeaders(_ reader: inout SectionReader<RouteSection>) {
        guard let place = reader.given["header"] else { return }
        for field in reader.section.options.request.headers ?? [] where !field.value.isEmpty {
            do throws(InvalidTemplate) {
                try FormTemplate.check(field.value)
            } catch {
                // A value may be a secret: it is not repeated.
                reader.report(place, "header", "the value of '\(field.name)' is no template: \(error)")
            }
        }
    }

    private static func checkTLS(_ reader: inout SectionReader<RouteSection>) {
        guard let tls = reader.section.options.tls, let place = reader.given["tls"] else { return }
        switch (reader.section.url?.origin.scheme, tls) {
        case (.ftp, _), (.ftps, .require), (.https, .require), (.sftp, .require), (nil, _): break
        case (.http, .require):
            reader.report(place, "tls", "'require' cannot hold for an http:// address; write https://")
        case (.http, .off): break
        case (.ftps, .off), (.https, .off), (.sftp, .off):
            reader.report(place, "tls", "'off' cannot hold for this address: its scheme is always encrypted")
        }
    }
}
