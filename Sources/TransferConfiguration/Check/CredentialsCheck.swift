import TransferModel

/// Routes against the credentials file.
struct CredentialsCheck {
    private let settings: Settings
    private let environment: [String: String]

    init(_ settings: Settings, environment: [String: String]) {
        self.settings = settings
        self.environment = environment
    }

    func findings() -> [Finding] {
        do throws(ConfigurationProblems) {
            return missing(try CredentialsFile.load(for: settings, environment: environment)) + clear()
        } catch {
            return error.problems.map { Finding(.error, $0.description) } + clear()
        }
    }

    /// Routes whose address names a user for whom there is no password.
    private func missing(_ table: CredentialsTable) -> [Finding] {
        settings.routes.compactMap { route in
            let origin = route.url.origin
            guard case .missing(let user) = table.login(for: origin), !logsInWithKey(origin) else {
                return nil
            }
            let machine = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
            return Finding(
                .warning,
                "[route \(route.name)]: the credentials file has no entry for '\(user)' at \(machine); its jobs will "
                    + "fail until there is a line 'machine \(machine) login \(user) password …'")
        }
    }

    /// A key needs no entry: it may have no passphrase.
    private func logsInWithKey(_ origin: Origin) -> Bool {
        let trust = settings.settings(for: origin).trust
        return origin.scheme == .sftp && (trust.identity != nil || trust.usesAgent)
    }

    /// Once for all routes that would send a password unencrypted.
    private func clear() -> [Finding] {
        let names = settings.routes.filter { route in
            route.url.origin.scheme == .ftp && route.url.origin.user != nil
                && settings.settings(for: route.url.origin).tls == .off
        }.map(\.name)
        guard !names.isEmpty else { return [] }
        return [
            Finding(
                .warning,
                "the password goes over the network in clear with ftp:// and tls = off "
                    + "(\(names.map { "[route \($0)]" }.joined(separator: ", "))); 'tls = require' encrypts it"
            )
        ]
    }
}
