import Dispatch
import TransferEngine

/// The control queue: one serial queue that owns scheduler, job table, spool and signals.
///
/// Everything on it is synchronous, so that nothing happens between deciding and recording.
@globalActor actor ControlActor {
    static let shared = ControlActor()
    private static let executor = SerialQueueExecutor(label: "transferd.control")

    static var queue: DispatchQueue { executor.queue }

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }

    /// Runs `body` on the actor from a handler that Dispatch called on ``queue``.
    nonisolated static func assumeIsolated<Result: Sendable>(
        _ body: @ControlActor () throws -> Result
    ) rethrows -> Result {
        dispatchPrecondition(condition: .onQueue(queue))
        return try withoutActuallyEscaping(body) { body in
            // The queue is the actor's executor, checked above: isolation holds although the type cannot say so.
            try unsafeBitCast(body, to: (() throws -> Result).self)()
        }
    }

    /// Runs `body` on the actor soon, after what is queued already.
    nonisolated static func enqueue(_ body: @escaping @ControlActor @Sendable () -> Void) {
        queue.async { assumeIsolated { body() } }
    }
}
