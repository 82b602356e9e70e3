internal import TransferModel

extension DiskQueue {
    /// Runs `work` after everything that was handed over before, and goes on with its result whatever stops meanwhile:
    /// for steps that must not be left half known.
    func value<Value: Sendable>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation { continuation in
            run { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}
