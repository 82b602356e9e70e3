internal import Dispatch

/// The serial queue on which one transfer's files are read, written, synced and hashed; never a lane's own.
final class DiskQueue: Sendable {
    private let queue = DispatchQueue(label: "transferd.disk")

    /// Runs `work` after everything that was handed over before.
    func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
