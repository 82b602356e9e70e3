internal import Glibc

/// An open descriptor that is closed with its last reference.
final class OpenFile: Sendable {
    let descriptor: Int32

    /// Takes the descriptor over.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// What fstat(2) says.
    func status() -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }
}
