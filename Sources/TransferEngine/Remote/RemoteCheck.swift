internal import TransferModel

/// Tells what a server is and can; tries it with a small file of its own where that is wished.
struct RemoteCheck {
    let assignment: Assignment
    let server: any FileServer
    let path: RemotePath

    /// The lines of the result, and what the job fails with.
    func run(writes: Bool, on lane: isolated Lane) async throws -> (ResultLines, Failure?) {
        var description = try await server.describe(on: lane)
        if writes, description.failure == nil {
            let trial = WriteTrial(assignment: assignment, server: server, directory: directory)
            description.failure = try await trial.run(into: &description, on: lane)
        }
        var lines = ResultLines()
        for fact in description.facts {
            try lines.append(CheckedFact.fact(topic: fact.topic, text: fact.text))
        }
        for sentence in description.advice { try lines.append(CheckedFact.advice(sentence)) }
        if let pem = description.certificate { try lines.append(CheckedFact.certificate(pem)) }
        return (lines, description.failure)
    }

    /// An address that does not end in a slash means a file, which is checked in its directory.
    private var directory: RemotePath { assignment.job.url.isDirectory ? path : path.parent }
}
