internal import TransferModel

/// Looks at or changes something at a file server, and leaves what the server answered in the job's result file.
struct RemoteWorker: Worker {
    private let assignment: Assignment

    init(_ assignment: Assignment) { self.assignment = assignment }

    func run(on lane: isolated Lane) async throws -> Outcome.Arrival {
        try assignment.requireLogin()
        throw Failure(.permanent, text: "no such server is spoken with")
    }

    func discard(on lane: isolated Lane) async {}
}
