internal import TransferModel

/// The command `show --reply`: what the server answered to a job, byte for byte.
struct ReplyView {
    let session: Session

    /// Prints the body as far as it is kept, after the status line and the header fields where they are asked for.
    func run(_ id: JobID, withHead: Bool) throws -> ExitStatus {
        guard let job = try JobListing.jobs([id], in: session.store).first else {
            throw CommandError.usage(Sentences.unknown(id, among: 1))
        }
        guard let reply = job.reply else {
            throw CommandError.usage("job \(id) has no answer of a web server")
        }
        if withHead {
            let line = Array("HTTP/1.1 \(reply.status)\r\n\r\n".utf8)
            (reply.head ?? line).withUnsafeBytes { session.output.write($0) }
        }
        reply.body.withUnsafeBytes { session.output.write($0) }
        session.output.flush()
        return .success
    }
}
