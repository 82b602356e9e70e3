import Dispatch
import Glibc

/// The signals that the daemon answers, delivered on the control queue.
@ControlActor final class Signals {
    private var sources: [any DispatchSourceSignal] = []

    private var unregistered = 0

    /// Calls `handler` for SIGTERM, SIGINT and SIGHUP; SIGPIPE is ignored.
    ///
    /// `ready` is called when all three are answered. Until then they end the process, as they would by default: Dispatch
    /// registers a source some time after it was activated, and a signal that was ignored meanwhile would be lost.
    init(handler: @escaping @ControlActor (Int32) -> Void, ready: @escaping @ControlActor () -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let numbers = [SIGTERM, SIGINT, SIGHUP]
        unregistered = numbers.count
        for number in numbers {
            let source = DispatchSource.makeSignalSource(signal: number, queue: ControlActor.queue)
            source.setEventHandler {
                ControlActor.assumeIsolated { handler(number) }
            }
            source.setRegistrationHandler { [weak self] in
                ControlActor.assumeIsolated { self?.registered(ready) }
            }
            source.activate()
            sources.append(source)
        }
    }

    private func registered(_ ready: @ControlActor () -> Void) {
        unregistered -= 1
        if unregistered == 0 { ready() }
    }
}
