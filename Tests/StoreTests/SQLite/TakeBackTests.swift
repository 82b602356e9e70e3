import Testing
import TransferModel
import TransferStore

@Suite struct TakeBackTests {
    private let later = Example.now + .seconds(60)

    /// A job that a daemon left running, and the next daemon's table.
    private func left(
        _ new: NewJob, in state: StatePlaces, _ changes: (JobID) -> [JobChange] = { _ in [] }
    ) throws -> JobID {
        let table = try state.daemon()
        let id = try table.admitRunning(new)
        _ = try table.commit(Turn(changes: changes(id)), at: Example.now)
        return id
    }

    private func takeBack(_ state: StatePlaces, _ policy: UnknownOutcome = .hold) throws -> (JobTable, [Job])
    {
        let table = try state.daemon()
        return (table, try table.takeBack(at: later, longestRow: 10) { _ in policy })
    }

    @Test func `a job left running waits again with its attempt closed`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state)
        let (table, taken) = try takeBack(state)
        let job = try table.found(id)
        #expect(taken == [job])
        #expect(job.state == .queued(retryAt: nil) && job.attempts == 0)
        let attempt = try #require(try table.attempts(of: id).last)
        #expect(attempt.endedAt == later && attempt.failure == job.lastFailure)
        #expect(job.lastFailure?.text == "the daemon was interrupted")
    }

    @Test func `a download that was cut off has the windows that are missing`() throws {
        let state = try StatePlaces()
        var checkpoint = Checkpoint()
        let name = try #require(FileName(".x.part"))
        checkpoint.localTemporary = Checkpoint.LocalTemporary(name: name, device: 1, inode: 2)
        let windows = [Window(400..<1_000), Window(2_000..<3_000)]
        let advance = Advance(
            start: .zero, offset: ByteCount(1_400), limit: ByteCount(3_000), missing: windows)
        let id = try left(Example.download(key: "d"), in: state) { id in
            [.staged(id, .sending, checkpoint), .progressed(id, advance)]
        }
        let (table, _) = try takeBack(state)
        let job = try table.found(id)
        #expect(job.state == .queued(retryAt: nil) && job.offset == ByteCount(1_400))
        #expect(job.missing == windows)
    }

    @Test func `a job that was only claimed ahead waits again as if nothing had been`() throws {
        let state = try StatePlaces()
        let before: Job
        do {
            let table = try state.daemon()
            before = try table.found(table.admit(Example.upload(key: "a")))
            let claim = Turn.Claim(origin: before.origin, count: 0, ahead: 1)
            #expect(try table.commit(Turn(claims: [claim]), at: Example.now).claimed.count == 1)
        }
        let (table, taken) = try takeBack(state)
        #expect(taken == [before])
        #expect(try table.found(before.id) == before && table.attempts(of: before.id).isEmpty)
    }

    @Test func `an attempt that got farther than any before is not counted`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state) {
            [.progressed($0, Advance(start: .zero, offset: ByteCount(5), limit: ByteCount(9)))]
        }
        let (table, taken) = try takeBack(state)
        #expect(taken.map(\.attempts) == [0] && taken.map(\.highWater) == [ByteCount(5)])
        #expect(try table.attempts(of: id).map(\.endOffset) == [ByteCount(5)])
    }

    @Test func `a job that kills the daemon again and again without progress fails`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state)
        for round in 1...10 {
            let (table, taken) = try takeBack(state)
            #expect(taken.first?.attempts == 0)
            #expect(taken.first?.state.name == (round < 10 ? .queued : .failed))
            _ = try table.claim(try Example.url().origin, at: later)
        }
        let job = try state.daemon().found(id)
        #expect(job.lastFailure?.text.contains("interrupted 10 times in a row") == true)
    }

    @Test func `a job that gets farther outlives any number of interruptions`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state)
        for round in 1...30 {
            let table = try state.daemon()
            let moved = ByteCount(rawValue: Int64(round))
            try table.commit(.progressed(id, Advance(start: .zero, offset: moved, limit: ByteCount(99))))
            let taken = try table.takeBack(at: later, longestRow: 10) { _ in .hold }
            #expect(taken.first?.state.name == .queued)
            _ = try table.claim(try Example.url().origin, at: later)
        }
    }

    @Test func `a try that ends in another way starts the row of interruptions again`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state)
        for _ in 1...3 {
            for _ in 1...6 {
                let (table, taken) = try takeBack(state)
                #expect(taken.first?.state.name == .queued)
                _ = try table.claim(try Example.url().origin, at: later)
            }
            let table = try state.daemon()
            let refused = Ending(
                state: .queued(retryAt: nil), failure: Failure(.temporary, text: "busy"), attempts: 1,
                start: .zero, offset: .zero, limit: nil, stage: .sending)
            try table.commit(.ended(id, refused))
            _ = try table.claim(try Example.url().origin, at: later)
        }
    }

    @Test(arguments: [
        (UnknownOutcome.hold, JobState.held(.unknownOutcome), Stage.sealed),
        (.retry, .queued(retryAt: nil), .sending),
    ])
    func `a sealed form goes the way of its policy`(
        policy: UnknownOutcome, expected: JobState, stage: Stage
    ) throws {
        let state = try StatePlaces()
        let id = try left(Example.form(key: "f"), in: state) { [.staged($0, .sealed, Checkpoint())] }
        let (table, _) = try takeBack(state, policy)
        let job = try table.found(id)
        #expect(job.state == expected && job.stage == stage)
    }

    @Test func `an upload that was renaming stays so`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state) { [.staged($0, .renaming, Checkpoint())] }
        #expect(try takeBack(state).0.found(id).stage == .renaming)
    }

    @Test(arguments: [JobRequest.cancel, .hold])
    func `a request that nobody answered is carried out`(request: JobRequest) throws {
        let state = try StatePlaces()
        let id: JobID
        do {
            let table = try state.daemon()
            id = try table.admitRunning(Example.upload(key: "a"))
            #expect(try table.request(request, of: id, at: Example.now) == .asked)
        }
        let job = try takeBack(state).0.found(id)
        #expect(job.state == (request == .cancel ? .cancelled(at: later) : .held(.byRequest)))
        #expect(job.request == nil)
    }

    @Test func `without a daemon a client takes the job back and does what was asked`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state)
        let client = try state.client()
        #expect(try client.request(.cancel, of: id, at: later) == .applied(.cancelled(at: later)))
        #expect(try client.attempts(of: id).map(\.endedAt) == [later])
        #expect(try takeBack(state).1.isEmpty)
    }

    @Test func `without a daemon a sealed form that is to be held is one of unknown outcome`() throws {
        let state = try StatePlaces()
        let id = try left(Example.form(key: "f"), in: state) { [.staged($0, .sealed, Checkpoint())] }
        let client = try state.client()
        #expect(try client.request(.hold, of: id, at: later) == .applied(.held(.unknownOutcome)))
        #expect(try client.request(.retry, of: id, at: later) == .applied(.queued(retryAt: nil)))
        #expect(try client.found(id).stage == .sending)
    }

    @Test func `beside a daemon a client only asks`() throws {
        let state = try StatePlaces()
        let daemon = try state.daemon()
        let id = try daemon.admitRunning(Example.upload(key: "a"))
        #expect(try state.client().request(.cancel, of: id, at: later) == .asked)
        #expect(try daemon.requests().map(\.request) == [.cancel])
    }
}
