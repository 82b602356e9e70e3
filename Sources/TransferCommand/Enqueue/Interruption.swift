internal import Glibc
internal import Synchronization

/// SIGINT, SIGTERM and SIGHUP while sources are handed over: what was copied is removed before the program ends.
enum Interruption {
    /// The signal that came; 0: none.
    private static let caught = Atomic<Int32>(0)
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Runs `body`; a signal makes ``check()`` throw inside it, and ends the program, as that signal does, after it.
    ///
    /// A system call that waits returns with EINTR. A signal that is ignored stays ignored.
    static func watching<Result>(_ body: () throws -> Result) rethrows -> Result {
        let watched = signals.filter { !isIgnored($0) }
        for number in watched {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { Interruption.caught.store($0, ordering: .relaxed) }
            sigaction(number, &action, nil)
        }
        defer {
            for number in watched { _ = signal(number, SIG_DFL) }
            let number = caught.load(ordering: .relaxed)
            if number != 0 { raise(number) }
        }
        return try body()
    }

    /// Whether a signal has come.
    static var hasCome: Bool { caught.load(ordering: .relaxed) != 0 }

    /// Throws once a signal has come.
    static func check(
        _ sentence: @autoclosure () -> String = "interrupted; what was copied is removed"
    ) throws(CommandError) {
        if hasCome { throw .later(sentence()) }
    }

    /// As nohup(1) and a shell's background leave it.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
