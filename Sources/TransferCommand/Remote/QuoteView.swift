internal import FoundationEssentials
internal import TransferModel

/// The result of `quote`: each reply on a line.
struct QuoteView {
    let output: Output
    let json: Bool

    func show(_ file: borrowing ResultFile) throws {
        try file.lines { line in
            guard let reply = try? JSONDecoder().decode(QuotedReply.self, from: Data(line)) else { return }
            guard json else { return output.line("\(reply.code) \(Shown.text(reply.text))") }
            output.line(
                JSONValue([
                    "command": .text(reply.command), "code": JSONValue(reply.code), "text": .text(reply.text),
                    "refused": .boolean(reply.isRefusal),
                ]).text)
        }
    }
}
