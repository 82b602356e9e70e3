import TransferModel

/// What the keys of an origin demand of one another.
enum OriginRules {
    static func check(_ reader: inout SectionReader<OriginSettings>, at place: ConfigurationPlace) {
        if reader.given["match"] == nil {
            let name = reader.section.name
            reader.report(
                place, "match", "missing in [origin \(name)]; expected at least one 'match = HOST'")
        }
        checkVersions(&reader)
        if let place = reader.given["client_key"], reader.given["client_certificate"] == nil {
            reader.report(
                place, "client_key", "expected 'client_certificate = FILE' with it, of which it is the key")
        }
        if let place = reader.given["mode"], reader.section.data.mode == .active,
            reader.section.path.proxy != nil
        {
            reader.report(
                place, "mode", "'active' cannot hold with 'proxy': a server cannot connect to us through it")
        }
        let schemes = Set(reader.section.matches.map(\.scheme))
        let scheme = schemes.count == 1 ? schemes.first ?? nil : nil
        for contradiction in DeliveryRules.contradictions(in: reader.section.delivery, scheme: scheme) {
            guard let key = contradiction.keys.first(where: { reader.given[$0] != nil }) else { continue }
            reader.report(reader.given[key] ?? place, key, contradiction.sentence)
        }
    }

    private static func checkVersions(_ reader: inout SectionReader<OriginSettings>) {
        let trust = reader.section.trust
        guard let place = reader.given["tls_min"] else {
            if let newest = trust.tlsMaximum, let place = reader.given["tls_max"], newest < trust.tlsMinimum {
                reader.report(
                    place, "tls_max",
                    "'\(newest.rawValue)' is older than tls_min, which is \(trust.tlsMinimum.rawValue) by default"
                )
            }
            return
        }
        if let newest = trust.tlsMaximum {
            guard newest < trust.tlsMinimum else { return }
            reader.report(
                place, "tls_min",
                "'\(trust.tlsMinimum.rawValue)' is newer than 'tls_max = \(newest.rawValue)'")
        } else if trust.tlsMinimum > .tls12, reader.section.matches.contains(where: mayBeFTP) {
            reader.report(
                place, "tls_min",
                "'\(trust.tlsMinimum.rawValue)' leaves FTP no version, which goes up to 1.2 unless told otherwise; "
                    + "write 'tls_max = \(trust.tlsMinimum.rawValue)' too")
        }
    }

    private static func mayBeFTP(_ pattern: OriginPattern) -> Bool {
        switch pattern.scheme {
        case .ftp, .ftps, nil: true
        case .sftp, .http, .https: false
        }
    }
}
