internal import TransferConfiguration
internal import TransferModel

/// A value of a job file with the place where it stands, for messages: `'FILE', line 7, fields[2].type`.
struct JobFileItem {
    let node: JSONNode
    /// The file, as it is shown.
    let file: String
    /// `[0].fields[2].type`; empty at the top.
    let path: String

    var place: String { "\(file), line \(node.line)\(path.isEmpty ? "" : ", \(path)")" }

    func error(_ sentence: String) -> CommandError { .usage(sentence).at(place) }

    /// What `body` makes of the value; what it finds wrong is said with the place.
    func read<Value>(_ body: (JobFileItem) throws(CommandError) -> Value) throws(CommandError) -> Value {
        do throws(CommandError) {
            return try body(self)
        } catch {
            throw error.at(place)
        }
    }

    // MARK: - Kinds of values

    func text() throws(CommandError) -> String {
        guard case .text(let text) = node.value else { throw error("expected a text in double quotes") }
        return text
    }

    /// A text as the name of a file, or `-`.
    func input() throws(CommandError) -> Input {
        let text = try text()
        return try read { (_) throws(CommandError) in try Input(text.utf8) }
    }

    /// A text, or a number as it is written.
    func word() throws(CommandError) -> String {
        switch node.value {
        case .text(let text), .number(let text): return text
        case .null, .boolean, .array, .object: throw error("expected a text in double quotes or a number")
        }
    }

    func integer() throws(CommandError) -> Int {
        guard case .number(let text) = node.value, let number = Int32(text) else {
            throw error("expected a whole number")
        }
        return Int(number)
    }

    func elements() throws(CommandError) -> [JobFileItem] {
        guard case .array(let nodes) = node.value else { throw error("expected a list in brackets") }
        return nodes.enumerated().map { item($0.element, "\(path)[\($0.offset)]") }
    }

    /// A list, or one value alone.
    func elementsOrOne() throws(CommandError) -> [JobFileItem] {
        if case .array = node.value { return try elements() }
        return [self]
    }

    /// Of an object, in order, names repeated.
    func members() throws(CommandError) -> [(name: String, item: JobFileItem)] {
        guard case .object(let members) = node.value else { throw error("expected an object in braces") }
        return members.map { member in
            let isPlain =
                !member.name.isEmpty
                && member.name.allSatisfy { $0.isLetter || $0.isNumber || "_*".contains($0) }
            let step =
                isPlain ? "\(path.isEmpty ? "" : ".")\(member.name)" : "[\"\(Shown.text(member.name))\"]"
            return (member.name, item(member.node, path + step))
        }
    }

    /// Of an object with known keys, each once; null is as if it did not stand there.
    func keyed(_ known: [String]) throws(CommandError) -> [String: JobFileItem] {
        var found: [String: JobFileItem] = [:]
        for (name, item) in try members() {
            guard known.contains(name) else {
                let question = NearestName.question(name, among: known)
                throw item.error(
                    "it is no key here"
                        + (question.isEmpty ? "; expected one of \(known.joined(separator: ", "))" : question)
                )
            }
            guard found[name] == nil else { throw item.error("it stands here a second time") }
            found[name] = item
        }
        return found.filter { $0.value.node.value != .null }
    }

    private func item(_ node: JSONNode, _ path: String) -> JobFileItem {
        JobFileItem(node: node, file: file, path: path)
    }
}
