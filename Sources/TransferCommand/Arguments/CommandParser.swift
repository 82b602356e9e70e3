internal import TransferConfiguration
internal import TransferModel

/// Reads the words after a command's name.
struct CommandParser {
    let topic: HelpTopic
    private var states: Set<JobState.Name> = []

    init(topic: HelpTopic) { self.topic = topic }

    static func options(of topic: HelpTopic) -> [Option] {
        switch topic {
        case .program: []
        case .enqueue: OrderParser.options
        case .status: [.json, .route, .origin, .limit, .all, .watch]
        case .show: [.json, .reply, .include]
        case .cancel, .hold, .release, .retry, .rate: [.json]
        case .wait: [.json, .timeout]
        case .remote: RemoteParser.options
        }
    }

    /// After `status`, `--state` followed by the name of a state (or several with commas) means these; those are
    /// kept here, and what remains names the state directory.
    mutating func takeStates(_ words: Words) -> Words {
        guard topic == .status else { return words }
        var kept: [Words.Found] = []
        for found in words.options {
            if found.option == .state, let named = CommandParser.states(found.value) {
                states.formUnion(named)
            } else {
                kept.append(found)
            }
        }
        return Words(options: kept, operands: words.operands)
    }

    func command(_ words: Words) throws(CommandError) -> Command {
        let json = words.has(.json)
        switch topic {
        case .program: return .help(.program)
        case .enqueue: return try OrderParser(words: words).command()
        case .status: return .status(try query(words))
        case .show: return try show(words, json: json)
        case .wait: return .wait(try ids(words), timeout: try timeout(words), json: json)
        case .cancel: return .request(.cancel, try ids(words), json: json)
        case .hold: return .request(.hold, try ids(words), json: json)
        case .release: return .request(.release, try ids(words), json: json)
        case .retry: return .request(.retry, try ids(words), json: json)
        case .rate: return try limit(words, json: json)
        case .remote: return .remote(try RemoteParser(words: words).order())
        }
    }

    private func show(_ words: Words, json: Bool) throws(CommandError) -> Command {
        let ids = try ids(words)
        guard words.has(.reply) else {
            guard !words.has(.include) else { throw .usage("-i goes with --reply") }
            return .show(ids, json: json)
        }
        guard ids.count == 1, !json else {
            throw .usage(
                "--reply prints the answer of one job as it came, so it takes one number and no --json")
        }
        return .showReply(ids[0], withHead: words.has(.include))
    }

    private func query(_ words: Words) throws(CommandError) -> StatusQuery {
        if let value = words.value(.state), !value.contains(UInt8(ascii: "/")) {
            let written = Shown.bytes(value)
            let names = JobState.Name.allCases.map(\.rawValue)
            throw .usage(
                "'\(written)' is none of the states \(names.joined(separator: ", ")); a state directory is "
                    + "given as './\(written)' or before 'status'")
        }
        var query = StatusQuery()
        query.ids = try CommandParser.jobs(words.operands)
        query.states = states
        query.route = try words.text(.route)
        query.host = try words.text(.origin).map(CommandParser.host)
        query.all = words.has(.all)
        query.json = words.has(.json)
        query.watch = words.has(.watch)
        if query.all || !query.ids.isEmpty { query.limit = nil }
        if let text = try words.text(.limit) {
            guard let limit = Int(text), limit > 0 else {
                throw .usage("--limit needs a whole number above 0, not '\(Shown.text(text))'")
            }
            query.limit = limit
        }
        return query
    }

    private func ids(_ words: Words) throws(CommandError) -> [JobID] {
        guard !words.operands.isEmpty else {
            throw .usage("'\(topic.rawValue)' needs the number of a job; 'transferctl status' shows them")
        }
        return try CommandParser.jobs(words.operands)
    }

    /// The numbers of jobs, and last the rate.
    private func limit(_ words: Words, json: Bool) throws(CommandError) -> Command {
        guard let last = words.operands.last, words.operands.count > 1 else {
            throw .usage("'rate' needs the number of a job and then a rate such as 500K or 2M, or 'off'")
        }
        let text = String(decoding: last, as: UTF8.self)
        let rate = Rate(text)
        guard rate != nil || text == "off" else {
            throw .usage("'\(Shown.bytes(last))' is no rate: bytes a second such as 500K or 2M, or 'off'")
        }
        return .limit(rate, try CommandParser.jobs(words.operands.dropLast()), json: json)
    }

    private func timeout(_ words: Words) throws(CommandError) -> Duration? {
        guard let text = try words.text(.timeout) else { return nil }
        guard let duration = DurationText.read(text) else {
            throw .usage("--timeout needs a duration such as 90s or 5m30s, not '\(Shown.text(text))'")
        }
        return duration
    }

    /// Each job once, in the order of the command line.
    private static func jobs(_ operands: [[UInt8]]) throws(CommandError) -> [JobID] {
        var seen: Set<JobID> = []
        var ids: [JobID] = []
        for operand in operands {
            guard let number = Int64(String(decoding: operand, as: UTF8.self)), number > 0 else {
                throw .usage("'\(Shown.bytes(operand))' is not the number of a job")
            }
            if seen.insert(JobID(rawValue: number)).inserted { ids.append(JobID(rawValue: number)) }
        }
        return ids
    }

    /// The host of an origin or address, else the text as it stands.
    private static func host(_ text: String) -> String {
        (try? TransferURL(text))?.origin.host ?? text.lowercased()
    }

    private static func states(_ value: [UInt8]) -> Set<JobState.Name>? {
        let names = String(decoding: value, as: UTF8.self).split(separator: ",")
        let known = names.compactMap { JobState.Name(rawValue: String($0)) }
        return names.isEmpty || known.count != names.count ? nil : Set(known)
    }
}
