import Dispatch

/// The read sources on descriptors that live as long as the daemon: the state directory's watch and the spool's.
@ControlActor final class Watches {
    private var sources: [any DispatchSourceRead] = []

    /// Calls `handler` on the control queue whenever `descriptor` can be read. The descriptor stays its owner's.
    func add(_ descriptor: Int32, handler: @escaping @ControlActor () -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: ControlActor.queue)
        source.setEventHandler {
            ControlActor.assumeIsolated { handler() }
        }
        source.activate()
        sources.append(source)
    }
}
