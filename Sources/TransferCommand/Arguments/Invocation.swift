internal import TransferModel

/// What the whole command line asks for.
struct Invocation: Hashable, Sendable {
    var configFile: FilePath?
    var stateDirectory: FilePath?
    var command: Command
}

/// One command with its options, checked as far as no file, clock or table is needed.
enum Command: Hashable, Sendable {
    case version
    case help(HelpTopic)
    case enqueue(Order, OrderOptions)
    case status(StatusQuery)
    case show([JobID], json: Bool)
    /// The server's answer as it came.
    case showReply(JobID, withHead: Bool)
    case wait([JobID], timeout: Duration?, json: Bool)
    case request(JobRequest, [JobID], json: Bool)
    /// The most that jobs may move; nil: as much as there is.
    case limit(Rate?, [JobID], json: Bool)
    case remote(RemoteOrder)
}

/// What is to be enqueued.
enum Order: Hashable, Sendable {
    case upload([Input], to: TransferURL, JobWishes = JobWishes())
    case form(
        TransferURL, [FormField], headers: [HeaderField], unknown: UnknownOutcome?,
        request: RequestWishes = RequestWishes())
    case download(
        [TransferURL], to: DownloadPlace, DownloadTerms = DownloadTerms(), JobWishes = JobWishes())
    /// The files of a directory at a server whose names match one of the patterns.
    case directory(
        TransferURL, globs: [String], to: DownloadPlace, JobWishes = JobWishes(),
        terms: DownloadTerms = DownloadTerms())
    /// What a job file describes.
    case jobs(from: Input)
}

/// Where a download is to go.
enum DownloadPlace: Hashable, Sendable {
    /// The default directory, under the name at the end of the address.
    case standard
    case directory(FilePath)
    case file(FilePath)
}

/// The options of every `enqueue`.
struct OrderOptions: Hashable, Sendable {
    var priority = 0
    var notBefore: Moment?
    var expires: Moment?
    var label: String?
    var rate: Rate?
    var waits = false
    var json = false

    /// Whether `text` can stand in one line of a report.
    static func isLabel(_ text: String) -> Bool {
        !text.utf8.contains(where: EscapedText.isControl) && text.utf8.count <= 1000
    }
}

/// Which jobs `status` shows, and how.
struct StatusQuery: Hashable, Sendable {
    var ids: [JobID] = []
    /// Empty: what moves, waits or failed within a day.
    var states: Set<JobState.Name> = []
    var route: String?
    var host: String?
    /// nil: all.
    var limit: Int? = 50
    /// Final states too.
    var all = false
    var json = false
    var watch = false
}

/// What `--help` explains.
enum HelpTopic: String, CaseIterable, Sendable {
    case program
    case enqueue, status, show, wait, cancel, hold, release, retry, rate, remote
}
