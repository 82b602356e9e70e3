public import TransferModel

/// The configuration against this machine: directories, certificates, credentials.
public enum ConfigurationCheck {
    /// Tests as the calling process what the daemon will need, and makes nothing.
    ///
    /// Directories that the daemon makes itself may be missing where they can be made. Run as the daemon's user for
    /// an answer that holds for the daemon.
    public static func run(_ settings: Settings, environment: [String: String]) -> [Finding] {
        let sandbox = UnitSandbox(settings, environment: environment)
        return directories(settings, sandbox) + certificates(settings)
            + CredentialsCheck(settings, environment: environment).findings()
    }

    private static func directories(_ settings: Settings, _ sandbox: UnitSandbox) -> [Finding] {
        let places = settings.places
        var needed: [(key: String, path: FilePath, need: DirectoryCheck.Need)] = [
            ("state_dir", places.state, .write), ("spool_dir", places.spool, .write),
        ]
        needed += settings.routes.map { ("spool of [route \($0.name)]", $0.directory(in: places), .write) }
        needed += places.downloadDirectories.map { ("download_dirs", $0, .write) }
        needed += places.sourceDirectories.map { ("source_dirs", $0, .read) }
        return needed.compactMap { key, path, need in
            let line = sandbox.line(for: path, need)
            if let objection = DirectoryCheck(path: path, need: need).objection() {
                let advice = sandbox.isInside ? line.map { "; \(UnitSandbox.advice($0))" } : nil
                return Finding(.error, "\(key): directory '\(path)' \(objection)\(advice ?? "")")
            }
            guard let line, !sandbox.isInside else { return nil }
            return Finding(
                .warning,
                "\(key): the unit hides '\(path)' from the service or lets it only read; "
                    + UnitSandbox.advice(line))
        }
    }

    private static func certificates(_ settings: Settings) -> [Finding] {
        settings.origins.compactMap { origin in
            guard let path = origin.caFile else { return nil }
            let subject = "ca_file of [origin \(origin.name)]: '\(path)'"
            do throws(FileContent.Refusal) {
                let text = String(decoding: try FileContent(of: path).bytes, as: UTF8.self)
                let isPEM =
                    text.contains("-----BEGIN CERTIFICATE-----")
                    || text.contains("-----BEGIN TRUSTED CERTIFICATE-----")
                return isPEM ? nil : Finding(.error, "\(subject) holds no certificate in PEM form")
            } catch {
                return Finding(.error, "\(subject) can't be read: \(error.reason)")
            }
        }
    }
}
