import TransferModel

/// Reads `machine HOST[:PORT] login USER password PASSWORD`, words over any number of lines.
enum NetrcParser {
    static func entries(_ bytes: [UInt8]) throws(NetrcProblem) -> [CredentialsTable.Entry] {
        var tokens = NetrcTokens(bytes)
        var open: Machine?
        var entries: [CredentialsTable.Entry] = []
        while let word = try tokens.nextKeyword() {
            switch word.text {
            case "machine":
                if let entry = try open?.entry() { try add(entry, to: &entries, line: word.line) }
                open = try Machine(try value(after: word, &tokens))
            case "login":
                guard open != nil else { throw homeless(word) }
                try open?.set(\.user, to: try value(after: word, &tokens), "login")
            case "password":
                guard open != nil else { throw homeless(word) }
                try open?.set(\.password, to: try value(after: word, &tokens), "password")
            case "account": _ = try value(after: word, &tokens)
            case "macdef": tokens.skipMacro()
            case let other: throw unexpected(other, line: word.line)
            }
        }
        if let entry = try open?.entry() { try add(entry, to: &entries, line: tokens.line) }
        return entries
    }

    /// The word may be part of a password: it is not repeated.
    private static func unexpected(_ word: String, line: Int) -> NetrcProblem {
        NetrcProblem(
            line: line,
            sentence: word == "default"
                ? "'default' is not taken: it would send a password to any host; write 'machine HOST'"
                : "expected 'machine', 'login' or 'password' here; a value with blanks stands in double quotes"
        )
    }

    private static func value(
        after keyword: NetrcTokens.Word, _ tokens: inout NetrcTokens
    ) throws(NetrcProblem) -> NetrcTokens.Word {
        guard let value = try tokens.next() else {
            throw NetrcProblem(line: keyword.line, sentence: "expected a value after '\(keyword.text)'")
        }
        return value
    }

    private static func homeless(_ word: NetrcTokens.Word) -> NetrcProblem {
        NetrcProblem(line: word.line, sentence: "expected 'machine HOST' before '\(word.text)'")
    }

    private static func add(
        _ entry: CredentialsTable.Entry, to entries: inout [CredentialsTable.Entry], line: Int
    ) throws(NetrcProblem) {
        let isKnown = entries.contains {
            $0.host == entry.host && $0.port == entry.port && $0.credentials.user == entry.credentials.user
        }
        guard !isKnown else {
            throw NetrcProblem(
                line: line, sentence: "two entries above are for the same machine and login; expected one")
        }
        entries.append(entry)
    }

    /// An entry while it is read.
    private struct Machine {
        let host: String
        let port: Int?
        let line: Int
        var user: String?
        var password: String?

        init(_ word: NetrcTokens.Word) throws(NetrcProblem) {
            let authority = word.text
            // Any scheme would do: a host and a port are the same in all of them.
            guard !authority.contains("@"), !authority.contains("/"),
                let origin = try? TransferURL("ftp://\(authority)").origin
            else {
                throw NetrcProblem(line: word.line, sentence: "expected HOST or HOST:PORT after 'machine'")
            }
            let afterAddress = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority[...]
            host = origin.host
            port = afterAddress.contains(":") ? origin.port : nil
            line = word.line
        }

        mutating func set(
            _ path: WritableKeyPath<Machine, String?>, to word: NetrcTokens.Word, _ keyword: String
        ) throws(NetrcProblem) {
            guard self[keyPath: path] == nil else {
                throw NetrcProblem(
                    line: word.line,
                    sentence: "expected one '\(keyword)' for 'machine \(host)', found a second")
            }
            self[keyPath: path] = word.text
        }

        func entry() throws(NetrcProblem) -> CredentialsTable.Entry {
            guard let user, !user.isEmpty else {
                throw NetrcProblem(line: line, sentence: "expected 'login USER' for 'machine \(host)'")
            }
            guard let password else {
                throw NetrcProblem(line: line, sentence: "expected 'password …' for 'machine \(host)'")
            }
            return CredentialsTable.Entry(
                host: host, port: port, credentials: Credentials(user: user, password: password))
        }
    }
}
