internal import FoundationEssentials
internal import TransferModel

/// The result of `check`: what is known of the server, then what to do.
struct CheckView {
    let output: Output
    let json: Bool

    func show(_ file: borrowing ResultFile) throws {
        var facts: [CheckedFact] = []
        try file.lines { line in
            if let fact = try? JSONDecoder().decode(CheckedFact.self, from: Data(line)) { facts.append(fact) }
        }
        if json {
            for fact in facts { output.line(Self.json(fact).text) }
        } else {
            for line in Self.lines(facts) { output.line(line) }
        }
    }

    static func lines(_ facts: [CheckedFact]) -> [String] {
        let topics = facts.compactMap { if case .fact(let topic, _) = $0 { topic } else { nil } }
        let width = topics.map { $0.utf8.count }.max() ?? 0
        var lines: [String] = []
        var advice: [String] = []
        var certificate: [String] = []
        for fact in facts {
            switch fact {
            case .fact(let topic, let text):
                lines.append(DisplayWidth.padded(Shown.text(topic), to: width) + "  " + Shown.text(text))
            case .advice(let sentence): advice.append("* " + Shown.text(sentence))
            case .certificate(let pem):
                certificate += pem.split(separator: "\n").map { Shown.text(String($0)) }
            }
        }
        for part in [advice, certificate] where !part.isEmpty { lines += [""] + part }
        return lines
    }

    private static func json(_ fact: CheckedFact) -> JSONValue {
        switch fact {
        case .fact(let topic, let text): JSONValue(["topic": .text(topic), "text": .text(text)])
        case .advice(let sentence): JSONValue(["advice": .text(sentence)])
        case .certificate(let pem): JSONValue(["certificate": .text(pem)])
        }
    }
}
