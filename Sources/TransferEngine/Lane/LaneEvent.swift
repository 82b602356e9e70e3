public import TransferModel

/// What a lane reports; called on the lane's queue, one at a time and in order.
public enum LaneEvent: Sendable {
    /// A running job entered a stage or learned what a later attempt needs.
    ///
    /// `durable` is called after the commit, on any queue; where the order of writes demands it the worker goes on only
    /// then. nil: nobody waits for it.
    case staged(JobID, Stage, Checkpoint, durable: (@Sendable () -> Void)?)
    /// The attempt is over, and the lane free for the next job. Stage and checkpoint are to be recorded with it: they
    /// may be newer than those of the last `staged`.
    case ended(LaneID, JobID, Outcome, stage: Stage, checkpoint: Checkpoint)
    /// So many lanes besides its own, to each of these origins, could fetch parts of the running job's file now.
    case divisible(JobID, lanes: [Origin: Int])
    /// A lane that took part in another one's job is free for a job of its own; its own connection's failure, where that
    /// was the reason.
    case parted(LaneID, JobID, Failure?)
    /// The temporary file of an upload that has ended still stands at this path of its server.
    case left(Job, FilePath)
    /// What a poll found: the files of its directory, and how many lines of the list nobody could read.
    case listed(Job, [ListedFile], unreadable: Int)
    /// The connection is gone after an idle time or ``Lane/close()``; nothing more comes from this lane.
    case closed(LaneID)
    /// A sentence for the log; 3 someone must act, 4 a job was hurt, 6 a transition, 7 debugging.
    case notice(severity: Int, text: String)
}
