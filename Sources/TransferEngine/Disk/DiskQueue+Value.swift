internal import TransferModel

extension DiskQueue {
    /// Runs `work` after everything that was handed over before, and goes on with its result whatever stops meanwhile:
    /// for steps that must not be left half known.
    ///
    /// `unlessQuick`: it waits for no disk, and nothing else is under way: it is done at once, by the caller.
    func value<Value: Sendable>(
        unlessQuick isQuick: Bool = false, _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if isQuick { return try work() }
        let result = await withCheckedContinuation { continuation in
            run { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }
}
