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

    @Test func `a job left running waits again with its attempt closed and counted`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state)
        let (table, taken) = try takeBack(state)
        let job = try table.found(id)
        #expect(taken == [job])
        #expect(job.state == .queued(retryAt: nil) && job.attempts == 1)
        let attempt = try #require(try table.attempts(of: id).last)
        #expect(attempt.endedAt == later && attempt.failure == job.lastFailure)
        #expect(job.lastFailure?.text == "the daemon was interrupted")
    }

    @Test func `an attempt that got farther than any before is not counted`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state) {
            [.progressed($0, start: .zero, offset: ByteCount(5), limit: ByteCount(9))]
        }
        let (table, taken) = try takeBack(state)
        #expect(taken.map(\.attempts) == [0] && taken.map(\.highWater) == [ByteCount(5)])
        #expect(try table.attempts(of: id).map(\.endOffset) == [ByteCount(5)])
    }

    @Test func `a job that kills the daemon ten times in a row without progress fails`() throws {
        let state = try StatePlaces()
        let id = try left(Example.upload(key: "a"), in: state)
        for round in 1...10 {
            let (table, taken) = try takeBack(state)
            #expect(taken.first?.attempts == round)
            _ = try table.claim(try Example.url().origin, at: later)
        }
        let job = try state.daemon().found(id)
        #expect(job.state == .failed(at: later))
        #expect(job.lastFailure?.text.contains("interrupted too often") == true)
    }

    @Test func `a form that moved bytes each time is not counted, but its tries are bounded`() throws {
        let state = try StatePlaces()
        let id = try left(Example.form(key: "f"), in: state)
        for round in 1...100 {
            let table = try state.daemon()
            let moved = ByteCount(round == 1 ? 9 : 5)
            try table.commit(.progressed(id, start: .zero, offset: moved, limit: ByteCount(9)))
            let taken = try table.takeBack(at: later, longestRow: 10) { _ in .hold }
            #expect(taken.first?.attempts == 0)
            #expect(taken.first?.state.name == (round < 100 ? .queued : .failed))
            _ = try table.claim(try Example.url("https://web.example/").origin, at: later)
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
