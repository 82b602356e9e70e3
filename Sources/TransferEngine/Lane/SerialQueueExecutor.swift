public import Dispatch

/// Runs an actor on a private serial Dispatch queue, first come, first served.
///
/// It is a task executor too: a task that is started on the queue by Dispatch has no executor that Swift knows of, and its
/// first continuation would be resumed by Dispatch's global queue unless the task prefers this one.
public final class SerialQueueExecutor: SerialExecutor, TaskExecutor {
    public let queue: DispatchQueue

    public init(label: String) { queue = DispatchQueue(label: label) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        let preferred = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(isolatedTo: executor, taskExecutor: preferred) }
    }

    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
