internal import Glibc

/// A value that several queues touch, one at a time.
///
/// A POSIX lock, since ThreadSanitizer does not see how Synchronization.Mutex orders things on Linux.
// @unchecked: `value` is touched under `lock` only.
final class Locked<Value: ~Copyable>: @unchecked Sendable {
    private var value: Value
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    init(_ value: consuming sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    func withLock<Result, Problem: Error>(
        _ body: (inout Value) throws(Problem) -> sending Result
    ) throws(Problem) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
