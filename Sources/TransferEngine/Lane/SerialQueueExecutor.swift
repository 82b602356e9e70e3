public import Dispatch

/// Runs an actor on a private serial Dispatch queue, first come, first served.
public final class SerialQueueExecutor: SerialExecutor {
    public let queue: DispatchQueue

    public init(label: String) { queue = DispatchQueue(label: label) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
