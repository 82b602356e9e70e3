import Dispatch
import TransferModel

/// One timer for everything that the control queue waits for.
@ControlActor final class Alarm {
    private let timer: any DispatchSourceTimer
    private var due: MonotonicTime?

    init(handler: @escaping @ControlActor () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: ControlActor.queue)
        timer.setEventHandler { [weak self] in
            ControlActor.assumeIsolated {
                self?.due = nil
                handler()
            }
        }
        timer.activate()
    }

    /// The alarm rings once at `time`, or not at all; an earlier setting is forgotten.
    func set(to time: MonotonicTime?) {
        guard time != due else { return }
        due = time
        if let time {
            timer.schedule(deadline: DispatchTime(time), leeway: .milliseconds(1))
        } else {
            timer.schedule(deadline: .distantFuture)
        }
    }
}
