internal import TransferConfiguration
internal import TransferModel

extension Invocation {
    /// Reads a command line without the program's name. Nothing is opened or looked at.
    init(_ words: [[UInt8]]) throws(CommandError) {
        let leading = try Words(words, options: Option.common, order: Words.beforeOperands)
        self.init(command: .version)
        try take(leading)
        if leading.has(.version) { return }
        guard let name = leading.operands.first else {
            guard leading.has(.help) else { throw .usage("no command given; try 'transferctl --help'") }
            command = .help(.program)
            return
        }
        let topic = try Invocation.topic(String(decoding: name, as: UTF8.self))
        if topic == .program, let named = leading.operands.dropFirst().first {
            command = .help(try Invocation.topic(String(decoding: named, as: UTF8.self)))
            return
        }
        let permitted = Option.common + CommandParser.options(of: topic)
        // The line is read twice, since an option after the command may be one before it too.
        var words = try Words(Array(leading.operands.dropFirst()), options: permitted)
        var parser = CommandParser(topic: topic)
        words = parser.takeStates(words)
        try take(words)
        if leading.has(.help) || words.has(.help) || topic == .program {
            command = .help(topic)
        } else if words.has(.version) {
            command = .version
        } else {
            command = try parser.command(words)
        }
    }

    private mutating func take(_ words: Words) throws(CommandError) {
        if let path = words.value(.config) { configFile = try Invocation.path(path, .config) }
        if let path = words.value(.state) { stateDirectory = try Invocation.path(path, .state) }
    }

    private static func path(_ bytes: [UInt8], _ option: Option) throws(CommandError) -> FilePath {
        guard let path = FilePath(bytes: bytes) else { throw .usage("\(option.display) needs a path") }
        return path
    }

    private static func topic(_ name: String) throws(CommandError) -> HelpTopic {
        if name == "help" { return .program }
        let known = HelpTopic.allCases.filter { $0 != .program }
        guard let topic = known.first(where: { $0.rawValue == name }) else {
            let nearest = NearestName.of(name, among: known.map(\.rawValue))
            throw .usage(
                "'\(Shown.text(name))' is not a command"
                    + (nearest.map { "; did you mean '\($0)'?" } ?? "; try 'transferctl --help'"))
        }
        return topic
    }
}

extension Words {
    func has(_ option: Option) -> Bool { options.contains { $0.option == option } }

    /// The last one counts.
    func value(_ option: Option) -> [UInt8]? { options.last { $0.option == option }?.value }

    /// The value as text; throws when it is not UTF-8.
    func text(_ option: Option) throws(CommandError) -> String? {
        guard let value = value(option) else { return nil }
        return try Words.text(value, option)
    }

    static func text(_ value: [UInt8], _ option: Option) throws(CommandError) -> String {
        guard let text = String(validating: value, as: UTF8.self) else {
            throw .usage("the value of \(option.display) is not UTF-8")
        }
        return text
    }
}
