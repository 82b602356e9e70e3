internal import TransferModel

/// `status --watch` on a terminal: the table once a second, with bars.
struct ScreenWatch {
    let session: Session
    let query: StatusQuery

    /// Until the person ends it, or until the jobs asked for are over. The last picture stays on the terminal.
    func run() throws -> ExitStatus {
        var signals = Signals()
        var meter = SpeedMeter()
        let screen = Screen(output: session.output)
        screen.enter()
        var last: [String] = []
        defer {
            screen.leave()
            for line in last { session.output.line(line) }
            session.output.flush()
        }
        while !session.output.isBroken {
            let frame = try frame(&meter)
            last = frame.lines
            screen.draw(frame.lines)
            if frame.isOver { break }
            switch signals.next(within: .seconds(1)) {
            case .end: return .success
            case .stop:
                screen.leave()
                signals.suspend()
                screen.enter()
            case .timeout, .resized: break
            }
        }
        return .success
    }

    private func frame(_ meter: inout SpeedMeter) throws -> (lines: [String], isOver: Bool) {
        let size = Terminal.size()
        let now = Clock.now()
        // Title, summary and the line between.
        let jobs = try JobListing(query: query, store: session.store).jobs(
            room: max(1, size.rows - 4), now: now)
        let time = Clock.monotonic()
        let lines = try jobs.map { job in
            JobLine(
                job, speed: meter.speed(of: job, at: time),
                behind: try session.predecessor(of: job, now: now), now: now)
        }
        let bar = ProgressBar(width: size.columns >= 100 ? 20 : 10, isUnicode: Terminal.speaksUnicode)
        let table = StatusTable(width: size.columns, bar: bar).lines(lines)
        let state = session.isDaemonRunning() ? "" : "; no transferd is running"
        let summary = Summary.text(try session.store.counts()) + state
        let isOver = !query.ids.isEmpty && jobs.allSatisfy(\.state.name.isOver)
        let picture = [DisplayWidth.cut(summary, to: size.columns), ""] + table
        return (Array(picture.prefix(size.rows)), isOver)
    }
}
