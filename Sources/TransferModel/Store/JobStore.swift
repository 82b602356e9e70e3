/// The seam between the daemon (or `transferctl`) and the place where jobs are kept: claim, record, request, watch.
///
/// A store belongs to one queue and is called synchronously; no call waits for another program's lock when the store
/// was opened for the daemon: it throws ``StoreError/busy(_:)`` and nothing has happened. What a call returns from is
/// durable. Its behaviour is fixed by one conformance suite.
public protocol JobStore: AnyObject {
    /// Records a turn in one transaction: all of it or nothing.
    func commit(_ turn: Turn, at now: Timestamp) throws(StoreError) -> Committed

    /// Asks `request` of a job. Applied at once where the job does not run and the request fits
    /// (``JobState/applying(_:at:)``); a running job gets it as `request`, for the daemon.
    func request(_ request: JobRequest, of id: JobID, at now: Timestamp) throws(StoreError) -> RequestAnswer

    /// Sets the most that a job may move, or lifts that; whoever carries it keeps to that as soon as it looks.
    func limit(_ rate: Rate?, of id: JobID, at now: Timestamp) throws(StoreError) -> RequestAnswer

    /// The rates of jobs that are not at their end, where there are any.
    func rates() throws(StoreError) -> [JobID: Rate]

    /// The origins that have queued jobs, each with the time when its next one is due (in the past: now).
    func demands() throws(StoreError) -> [OriginDemand]

    /// When the next job expires that is not running and not at its end.
    func nextExpiry() throws(StoreError) -> Timestamp?

    /// Running jobs of which something is asked, and queued ones that a person wants to be tried now.
    func requests() throws(StoreError) -> [Job]

    /// Jobs at their end whose own files still stand, oldest first.
    func undisposed(limit: Int) throws(StoreError) -> [Job]

    /// Every job with a source in the spool that is not disposed of.
    func spoolJobs() throws(StoreError) -> [Job]

    /// Whether another connection has committed since the last call.
    func hasForeignChanges() throws(StoreError) -> Bool

    func job(_ id: JobID) throws(StoreError) -> Job?
    /// In order of number.
    func attempts(of id: JobID) throws(StoreError) -> [Attempt]
    func jobs(_ filter: JobFilter) throws(StoreError) -> [Job]
    /// Of the jobs that exist; costs a tenth of what reading them does.
    func states(of ids: [JobID]) throws(StoreError) -> [JobID: JobState.Name]
    func counts() throws(StoreError) -> [JobState.Name: Int]
    /// What a route that fetches remembers of its directory.
    func remembered(by route: String, in directory: TransferURL) throws(StoreError) -> [RememberedFile]
    /// As the daemon recorded them last, in the order of their origins.
    func troubles() throws(StoreError) -> [OriginTrouble]
    /// Of a queued upload: the one to the same address that has to end first; nil when there is none.
    func predecessor(of job: Job, at now: Timestamp) throws(StoreError) -> JobID?
}

public struct OriginDemand: Hashable, Sendable {
    public let origin: Origin
    public let nextDue: Timestamp

    public init(origin: Origin, nextDue: Timestamp) {
        self.origin = origin
        self.nextDue = nextDue
    }
}

/// What became of a request.
public enum RequestAnswer: Hashable, Sendable {
    /// Done, durable.
    case applied(JobState)
    /// The job runs: the daemon will see to it.
    case asked
    /// It makes no sense for the job; a sentence says why.
    case refused(String)
    case unknownJob
}

/// Which jobs to list, newest first.
public struct JobFilter: Hashable, Sendable {
    /// Empty: all.
    public var ids: [JobID] = []
    public var states: Set<JobState.Name> = []
    public var route: String?
    public var host: String?
    public var limit: Int?

    public init() {}
}

/// Why the store could not do what it was asked.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another program holds the table; the text says who, as far as it can be known.
    case busy(String)
    /// The table is newer or older than this program, damaged, or not a job table.
    case unusable(String)
    /// The disk is full or the file system failed; the environment's fault.
    case environment(String)

    public var description: String {
        switch self {
        case .busy(let text), .unusable(let text), .environment(let text): text
        }
    }
}
