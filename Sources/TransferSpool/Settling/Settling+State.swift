package import TransferModel

extension Settling {
    /// What was heard or seen of one name, in the past tense. Source: inotify(7).
    package enum Event: Hashable, Sendable {
        /// The name appeared with one link: by open(2), which an `opened` follows, or by linkat(2), which none does.
        case created(Look)
        /// The name appeared whole: as a link to a file that has other names, or as something that is no file.
        case linked
        case opened
        case closed(written: Bool)
        /// The cookie ties it to a `movedIn` when the file stayed in the directory.
        case movedOut(cookie: UInt32)
        case movedIn(cookie: UInt32)
        case deleted
        /// A reading of the directory found the name.
        case scanned(Look)
    }

    /// How far one name is.
    enum State: Hashable, Sendable {
        /// Somebody has it open. `openers` is what the events say, and they may say too few or too many, since the kernel
        /// merges equal neighbours; so where the closes do not add up the file is probed. `writer`: one is known or
        /// possible whose close has not been heard.
        case open(openers: Int, writer: Bool, probe: Probe?)
        /// Closed after writing, moved in or linked.
        case quiet(until: MonotonicTime)
        /// Known by looking alone: whole when it still looks the same then.
        case found(Look, until: MonotonicTime, trust: Trust)

        var deadline: MonotonicTime? {
            switch self {
            case .open(_, _, let probe): probe?.at
            case .quiet(let until): until
            case .found(_, let until, _): until
            }
        }
    }

    /// When an open file is probed for writers, and how often it has been.
    struct Probe: Hashable, Sendable {
        var at: MonotonicTime
        var count: Int
    }

    /// What it takes to believe that a file which was found is whole.
    enum Trust: Hashable, Sendable {
        /// It looked the same for the settle time.
        case still
        /// As `still`, and the kernel says that nobody has it open for writing.
        case proof
        /// It looked the same for a minute: a writer was seen, and the kernel cannot say whether it is gone.
        case longStill
    }

    /// A name that is due: to be claimed when it looks as `expected` and the proof is there.
    package struct Candidate: Hashable, Sendable {
        package let name: FileName
        /// nil: any look is right.
        package let expected: Look?
        /// Whether a kernel that says nothing about writers is not enough.
        package let needsProof: Bool
        /// How often the file has been probed in vain.
        package let probes: Int
    }
}
