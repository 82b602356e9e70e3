internal import TransferModel

struct FormWorker: Worker {
    let assignment: Assignment
    init(_ assignment: Assignment) { self.assignment = assignment }
    func run(on lane: isolated Lane) async throws -> Outcome.Arrival { throw Failure(.permanent, text: "") }
    func discard(on lane: isolated Lane) async {}
}
