import Dispatch
import Glibc

/// The signals that the daemon answers, delivered on the control queue.
@ControlActor final class Signals {
    private var sources: [any DispatchSourceSignal] = []

    /// From here on `handler` is called for SIGTERM, SIGINT and SIGHUP; SIGPIPE is ignored.
    init(handler: @escaping @ControlActor (Int32) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGTERM, SIGINT, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: ControlActor.queue)
            source.setEventHandler {
                ControlActor.assumeIsolated { handler(number) }
            }
            source.activate()
            sources.append(source)
        }
    }
}
