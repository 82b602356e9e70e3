import Dispatch
import TransferModel

/// One timer for everything that the control queue waits for.
///
/// The timer is set only to an earlier time, never to a later one: when it fires too early it is set again. With many small
/// jobs the next time changes with every turn, and each setting costs two changes of threads.
@ControlActor final class Alarm {
    private let timer: any DispatchSourceTimer
    private let handler: @ControlActor () -> Void
    private var due: MonotonicTime?
    /// When the timer fires; nil: it does not.
    private var armed: MonotonicTime?

    init(handler: @escaping @ControlActor () -> Void) {
        self.handler = handler
        timer = DispatchSource.makeTimerSource(queue: ControlActor.queue)
        timer.setEventHandler { [weak self] in
            ControlActor.assumeIsolated { self?.fired() }
        }
        timer.activate()
    }

    /// The alarm rings once at `time`, or not at all; an earlier setting is forgotten.
    func set(to time: MonotonicTime?) {
        due = time
        guard let time, armed.map({ time < $0 }) ?? true else { return }
        armed = time
        timer.schedule(deadline: DispatchTime(time), leeway: .milliseconds(1))
    }

    private func fired() {
        armed = nil
        guard let time = due else { return }
        guard time <= Clock().now else { return set(to: time) }
        due = nil
        handler()
    }
}
