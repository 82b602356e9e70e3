internal import TransferModel

/// Carries one assignment over a lane; a value made for one attempt. Reads from top to bottom.
protocol Worker {
    init(_ assignment: Assignment)

    /// Throws a ``Failure``, or the ``Stop`` that a call on the lane threw.
    func run(on lane: isolated Lane) async throws -> Outcome.Arrival

    /// Removes what a cancelled or permanently failed job left, here or at the other side, as its last checkpoint says.
    /// Best effort, after the end was reported; stopped by the next job's cancellation and after ``Lane/cleanupTime``.
    func discard(_ remains: Checkpoint, on lane: isolated Lane) async
}
