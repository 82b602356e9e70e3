/// What a list of its directory means to a route that fetches: which files are to be fetched now, and what is to be
/// remembered. A value, made of the list and of what was remembered.
public struct PollDecision: Sendable {
    /// What a route wishes of its polls.
    public struct Rules: Hashable, Sendable {
        /// How long a file has to look the same before it is fetched.
        public var settle: Duration
        /// How long a name that is missing in the list is remembered: it may be a list that was cut.
        public var memory: Duration
        /// How many files one poll takes at most.
        public var most: Int

        public init(settle: Duration, memory: Duration, most: Int = 4_096) {
            self.settle = settle
            self.memory = memory
            self.most = most
        }
    }

    public struct Taken: Hashable, Sendable {
        public let name: FileName
        public let version: FileVersion

        public init(name: FileName, version: FileVersion) {
            self.name = name
            self.version = version
        }
    }

    /// Files to be fetched, in the order of the list.
    public private(set) var taken: [Taken] = []
    public private(set) var remembered: [RememberedFile] = []
    public private(set) var forgotten: [[UInt8]] = []
    /// Names that cannot stand here and of which nothing was said yet.
    public private(set) var refused: [[UInt8]] = []
    /// Files that could be fetched were left for the next poll, since there are so many.
    public private(set) var hasMore = false

    private let rules: Rules
    private let now: Timestamp

    /// - Parameter isWanted: whether the route fetches files of such a name; what it does not want is not remembered.
    public init(
        _ listed: [ListedFile], remembered known: [RememberedFile], rules: Rules, now: Timestamp,
        isWanted: ([UInt8]) -> Bool
    ) {
        self.rules = rules
        self.now = now
        var rest = Dictionary(known.map { ($0.name, $0) }) { first, _ in first }
        var names: Set<[UInt8]> = []
        for file in listed where names.insert(file.name).inserted {
            let before = rest.removeValue(forKey: file.name)
            guard isWanted(file.name) else {
                if before != nil { forgotten.append(file.name) }
                continue
            }
            look(at: file, before)
        }
        for file in known where rest[file.name] != nil { miss(file) }
    }

    private mutating func look(at file: ListedFile, _ before: RememberedFile?) {
        guard let name = FileName(bytes: file.name), !name.hasControlBytes else {
            if before?.state != .refused {
                refused.append(file.name)
                remembered.append(
                    RememberedFile(name: file.name, version: file.version, state: .refused))
            }
            return
        }
        guard var known = before, file.version.isSame(as: known.version, now: now) else {
            return remember(file, .seen(since: now))
        }
        let wasMissing = known.missingSince != nil
        known.missingSince = nil
        switch known.state {
        case .taken, .refused: if wasMissing { remembered.append(known) }
        // A clock that was set back must not keep it here.
        case .seen(let since) where wasMissing || since > now: remember(file, .seen(since: now))
        case .seen(let since) where now.since(since) < rules.settle: break
        case .seen where taken.count >= rules.most: hasMore = true
        case .seen:
            taken.append(Taken(name: name, version: file.version))
            remember(file, .taken)
        }
    }

    private mutating func remember(_ file: ListedFile, _ state: RememberedFile.State) {
        remembered.append(RememberedFile(name: file.name, version: file.version, state: state))
    }

    private mutating func miss(_ file: RememberedFile) {
        guard let since = file.missingSince, since <= now else {
            if rules.memory <= .zero { return forgotten.append(file.name) }
            var file = file
            file.missingSince = now
            return remembered.append(file)
        }
        if now.since(since) >= rules.memory { forgotten.append(file.name) }
    }
}
