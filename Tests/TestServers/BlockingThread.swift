import Glibc

/// Work that blocks, on a thread of its own.
///
/// Dispatch has 255 threads at most, in all queues together: enough tests at a time, each with servers that wait in
/// accept(2), would leave none for what they test.
public enum BlockingThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts `body` on a new thread, which ends with it.
    public static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let failure = pthread_create(
            &thread, nil,
            { work in
                guard let work else { return nil }
                Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        precondition(failure == 0, "a thread can be started: \(String(cString: strerror(failure)))")
        pthread_detach(thread)
    }
}
