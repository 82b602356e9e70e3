internal import TransferConfiguration
internal import TransferModel

/// Reads the words after `remote`.
struct RemoteParser {
    let words: Words

    static let options: [Option] = [.long, .json, .parents, .output, .write, .queue]

    private enum Verb: String, CaseIterable {
        case list = "ls"
        case remove = "rm"
        case rename = "mv"
        case makeDirectory = "mkdir"
        case removeDirectory = "rmdir"
        case get, quote, check, result

        /// What follows it.
        var form: String {
            switch self {
            case .list, .remove, .makeDirectory, .removeDirectory, .get: "URL"
            case .rename: "URL NEWPATH"
            case .quote: "URL COMMAND..."
            case .check: "URL or the name of a route"
            case .result: "the number of a job"
            }
        }

        var operands: ClosedRange<Int> {
            switch self {
            case .list, .remove, .makeDirectory, .removeDirectory, .get, .check, .result: 1...1
            case .rename: 2...2
            case .quote: 2...64
            }
        }

        var options: [Option] {
            switch self {
            case .list: [.long, .json, .queue]
            case .remove, .rename, .removeDirectory: [.queue]
            case .makeDirectory: [.parents, .queue]
            case .get: [.output, .queue]
            case .quote: [.json, .queue]
            case .check: [.write, .json, .queue]
            case .result: [.long, .json, .output]
            }
        }
    }

    func order() throws(CommandError) -> RemoteOrder {
        let verb = try verb()
        let operands = Array(words.operands.dropFirst())
        guard verb.operands.contains(operands.count) else {
            throw .usage("'remote \(verb.rawValue)' takes \(verb.form)")
        }
        if let foreign = words.options.first(where: { !(Option.common + verb.options).contains($0.option) }) {
            throw .usage("'remote \(verb.rawValue)' has no \(foreign.option.display)")
        }
        let view = ResultView(json: words.has(.json), isLong: words.has(.long), output: try output())
        if words.has(.queue), view != ResultView() {
            throw .usage(
                "what comes of a job with --queue is shown by 'remote result ID', which takes -l, --json and -o"
            )
        }
        guard !view.json || !view.isLong else { throw .usage("-l and --json cannot be used together") }
        if verb == .result { return .result(try Self.job(operands[0]), view) }
        return .ask(
            RemoteAsking(
                operation: try operation(verb, operands), place: try place(verb, operands[0]),
                isQueued: words.has(.queue), view: view))
    }

    private func verb() throws(CommandError) -> Verb {
        let names = Verb.allCases.map(\.rawValue)
        guard let word = words.operands.first else {
            throw .usage("'remote' needs one of \(names.joined(separator: ", "))")
        }
        let name = String(decoding: word, as: UTF8.self)
        if let verb = Verb(rawValue: name) { return verb }
        let nearest = NearestName.of(name, among: names).map { "; did you mean '\($0)'?" }
        throw .usage(
            "'\(Shown.bytes(word))' is none of \(names.joined(separator: ", "))\(nearest ?? "")")
    }

    private func operation(_ verb: Verb, _ operands: [[UInt8]]) throws(CommandError) -> RemoteOperation {
        switch verb {
        case .list: .list
        case .remove: .remove
        case .rename: .rename(to: try Self.newPath(operands[1]))
        case .makeDirectory: .makeDirectory(withParents: words.has(.parents))
        case .removeDirectory: .removeDirectory
        case .get: .get
        case .quote: .quote(try Self.commands(operands.dropFirst()))
        case .check: .check(writes: words.has(.write))
        case .result: preconditionFailure("'result' asks no server")
        }
    }

    private func place(_ verb: Verb, _ operand: [UInt8]) throws(CommandError) -> RemoteAsking.Place {
        guard let text = String(validating: operand, as: UTF8.self) else {
            throw .usage("the address '\(Shown.bytes(operand))' is not UTF-8: write such bytes as %XX")
        }
        if verb == .check, !text.contains("://"), !text.contains("/") { return .route(text) }
        let url: TransferURL
        do { url = try TransferURL(text) } catch { throw .usage(Shown.text(error.description)) }
        if let objection = url.serverPathObjection { throw .usage(Shown.text(objection)) }
        return .url(url)
    }

    private func output() throws(CommandError) -> FilePath? {
        guard let bytes = words.value(.output), bytes != [UInt8(ascii: "-")] else { return nil }
        guard let path = FilePath(bytes: bytes) else { throw .usage("-o needs the path of a file") }
        guard bytes.last != UInt8(ascii: "/") else {
            throw .usage("-o '\(Shown.bytes(bytes))' is a directory; name the file")
        }
        return path
    }

    private static func newPath(_ bytes: [UInt8]) throws(CommandError) -> FilePath {
        guard let path = FilePath(bytes: bytes) else { throw .usage("the new path is empty") }
        guard !String(decoding: bytes, as: UTF8.self).contains("://") else {
            throw .usage("the new path is a path at the same server, not an address")
        }
        let isMisleading: ([UInt8]) -> Bool = { name in
            name == [0x2e] || name == [0x2e, 0x2e] || name.contains(where: EscapedText.isControl)
        }
        guard !path.components.isEmpty, !path.components.contains(where: isMisleading) else {
            throw .usage("the new path '\(Shown.bytes(bytes))' has '.', '..' or a control byte in a name")
        }
        return path
    }

    private static func commands(_ words: some Sequence<[UInt8]>) throws(CommandError) -> [RemoteCommand] {
        var commands: [RemoteCommand] = []
        for word in words {
            guard let command = RemoteCommand(bytes: word) else {
                throw .usage(
                    "the command '\(Shown.bytes(word))' is empty, too long or has a control byte in it")
            }
            commands.append(command)
        }
        return commands
    }

    private static func job(_ operand: [UInt8]) throws(CommandError) -> JobID {
        guard let number = Int64(String(decoding: operand, as: UTF8.self)), number > 0 else {
            throw .usage("'\(Shown.bytes(operand))' is not the number of a job")
        }
        return JobID(rawValue: number)
    }
}
