import TransferModel

/// What the daemon still has to look after, and when.
struct Duties {
    /// The table may have due jobs that the scheduler does not know of.
    var demands = true
    /// Jobs at their end may have files left.
    var disposal = true
    /// Jobs whose files could not be disposed of; tried again with the next rescan, and not in the way of others.
    var undisposable: Set<JobID> = []
    /// Disposal syncs directories, so it is done for many jobs at a time: not before then.
    var disposalAt = MonotonicTime(rawValue: .zero)
    /// The next expiry may be another one.
    var expiry = true
    /// Running jobs may have been asked something.
    var requests = false
    /// Running jobs may have another rate.
    var rates = false

    /// What is recorded of origins may no longer be true.
    var troubles = true
    /// What is recorded of them.
    var recordedTroubles: [OriginTrouble] = []

    var expiryAt: MonotonicTime?
    var rescanAt: MonotonicTime?
    /// Set while jobs run.
    var progressAt: MonotonicTime?
    var watchdogAt: MonotonicTime?
    var lookAgainAt: MonotonicTime?
    /// Waits still to come after a wake-up that found nothing new.
    var looks: [Duration] = []
    /// Set by the first request to stop.
    var leaveAt: MonotonicTime?
    var statusAt: MonotonicTime?
    /// When the intake was swept last.
    var sweptAt: MonotonicTime?
    /// When it was last looked through for copies that belong to no job.
    var sweptForgottenAt: MonotonicTime?

    /// When the routes that fetch look into their directories.
    var polls = PollTimes()

    /// What was said of jobs that something on this machine keeps from going on, by their numbers.
    var saidOfJobs = RepeatedWords<JobID>()
    /// What was said of files that could not be disposed of.
    var saidUndisposed = RepeatedWords<String>()
    var saidBlocked = false
    var saidStatus = ""
    /// Wall clock minus monotonic clock; a jump of it is a clock that was set.
    var skew: Int64?

    var isStopping: Bool { leaveAt != nil }

    var nextDeadline: MonotonicTime? {
        [
            expiryAt, rescanAt, progressAt, watchdogAt, lookAgainAt, leaveAt,
        ].compactMap(\.self).min()
    }
}
