internal import Glibc

/// The signals that end or disturb a program at a terminal, taken one at a time instead of interrupting it.
struct Signals {
    enum Event {
        case timeout
        /// SIGINT, SIGTERM, SIGHUP or SIGQUIT.
        case end
        /// SIGTSTP: the person wants the shell.
        case stop
        /// SIGWINCH.
        case resized
    }

    private var set = sigset_t()

    /// From here on the signals wait until ``next(within:)``.
    init() {
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    mutating func next(within wait: Duration) -> Event {
        var time = Clock.specification(wait)
        switch sigtimedwait(&set, nil, &time) {
        case -1: return .timeout
        case SIGTSTP: return .stop
        case SIGWINCH: return .resized
        default: return .end
        }
    }

    /// Stops the program until the shell continues it.
    func suspend() { raise(SIGSTOP) }
}
