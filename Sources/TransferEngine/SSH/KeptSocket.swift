/// A connection that libcurl made and that goes on without it: the lane can break it from outside, and it is closed
/// with the last reference.
final class KeptSocket: Sendable {
    let descriptor: Int32
    private let control: LaneControl

    init(_ descriptor: Int32, of control: LaneControl) {
        self.descriptor = descriptor
        self.control = control
    }

    deinit { _ = control.closeSocket(descriptor) }
}
