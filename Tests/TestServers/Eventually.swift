import Dispatch

private let pauses = DispatchQueue(label: "transferd.tests.pauses")

/// Lets `duration` pass without holding a thread.
public func pause(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
        pauses.asyncAfter(deadline: .now() + duration.seconds) { continuation.resume() }
    }
}

/// Polls `condition` until it is true; throws a sentence with `what` when `timeout` has passed first.
public func eventually(
    _ what: String = "the condition", timeout: Duration = .seconds(60),
    every interval: Duration = .milliseconds(10),
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + timeout
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TestServerError("\(what) did not come true within \(timeout)")
        }
        await pause(interval)
    }
}

/// Polls `value` until it is not nil and returns it; throws a sentence with `what` when `timeout` has passed first.
public func eventually<Value>(
    _ what: String = "the value", timeout: Duration = .seconds(60),
    every interval: Duration = .milliseconds(10),
    value: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + timeout
    while true {
        if let found = try await value() { return found }
        guard ContinuousClock.now < deadline else {
            throw TestServerError("\(what) did not come within \(timeout)")
        }
        await pause(interval)
    }
}

extension Duration {
    /// This length in seconds, as Dispatch takes it.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
