import Testing
import TransferModel

/// The jobs of a route that fetches.
@Suite struct FetchRouteTests {
    private let now = Timestamp(rawValue: 1_900_000_000_000)
    private let version = FileVersion(size: 5, modified: Timestamp(rawValue: 7_000))

    private func route(_ after: RouteSettings.After, directory: String? = nil) throws -> RouteSettings {
        let url = try TransferURL("sftp://u@files.example/out/")
        var route = RouteSettings(name: "in", kind: .fetch, url: url)
        route.after = after
        route.poll.directory = directory.flatMap { FilePath($0) }
        if after == .move { route.poll.moveTo = try NameTemplate("done/") }
        return route
    }

    private func places() throws -> Places { Places(below: try #require(FilePath("/srv/state"))) }

    private func fetched(_ route: RouteSettings) throws -> Job {
        let name = try #require(FileName("a b"))
        let file = PollDecision.Taken(name: name, version: version)
        let new = try #require(
            route.fetchJob(file, in: try places(), key: "k", now: now, expires: .seconds(60)))
        return Job(id: JobID(rawValue: 9), new: new, state: .done(at: now))
    }

    @Test func `a file goes below the first of the downloads' directories, under the route's name`() throws {
        let job = try fetched(route(.leave))
        guard case .download(let download) = job.description else {
            Issue.record("no download")
            return
        }
        #expect(download.directory == FilePath("/srv/state/downloads"))
        #expect(download.target == FilePath("in/a b") && download.listed == version)
        #expect(job.url.text == "sftp://u@files.example/out/a%20b" && job.route == "in")
    }

    @Test func `a directory outside of them takes nothing`() throws {
        let name = try #require(FileName("a"))
        #expect(try route(.leave, directory: "/srv/other").target(of: name, in: places()) == nil)
        let below = try route(.leave, directory: "/srv/state/downloads").target(of: name, in: places())
        #expect(below?.target == FilePath("a"))
    }

    @Test(arguments: [RouteSettings.After.leave, .delete, .move])
    func `what has arrived is put away as the route says`(after: RouteSettings.After) throws {
        let route = try route(after)
        let job = try fetched(route)
        let next = route.putAwayJob(of: job, size: ByteCount(5), now: now, expires: .seconds(60))
        guard after != .leave else {
            #expect(next == nil)
            return
        }
        let moveTo = after == .move ? try NameTemplate("done/") : nil
        let order = PutAway(version: version, moveTo: moveTo)
        #expect(next?.description == .remote(RemoteDescription(.putAway(order), isQueued: true)))
        #expect(next?.url == job.url && next?.route == "in")
    }

    @Test func `what arrived with another size than was listed stays at the server`() throws {
        let route = try route(.delete)
        let job = try fetched(route)
        #expect(route.putAwayJob(of: job, size: ByteCount(6), now: now, expires: .seconds(60)) == nil)
    }

    @Test func `a poll that fails is over, one whose server is away waits`() throws {
        let new = try route(.leave).pollJob(now: now, expires: .seconds(60))
        let job = Job(id: JobID(rawValue: 1), new: new, state: .running(since: now))
        func end(_ scope: Failure.Scope) -> JobState {
            RetryPolicy().ending(
                of: job, outcome: .failed(Failure(.temporary, scope: scope, text: "no")),
                reached: RetryPolicy.Reached(start: .zero, offset: .zero, limit: nil, stage: .sending),
                unknownOutcome: .hold, now: now, spread: 0.5
            ).state
        }
        #expect(end(.job) == .failed(at: now))
        #expect(end(.origin) == .queued(retryAt: nil))
    }
}
