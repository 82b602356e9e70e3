import TransferModel

/// How a value of one type is read from a line and written to one.
struct ValueKind<Value>: Sendable {
    let read: @Sendable (String) throws(Rejection) -> Value
    let write: @Sendable (Value) -> String
}

/// Why a text is no value of its kind: one sentence without the key.
struct Rejection: Error {
    let sentence: String

    /// For values that hold no secret: the text is shown, escaped and cut; `reason` says what is wrong with it.
    init(expected: String, found: String, among known: [String] = [], reason: String? = nil) {
        let shown = found.count > 80 ? found.prefix(80) + "…" : found[...]
        let isCommented = found.contains(" #") || found.contains(" ;")
        sentence =
            "expected \(expected), found '\(EscapedText.escape(shown.utf8))'"
            + (isCommented ? "; a comment has a line of its own" : "")
            + (reason.map { ": \($0)" } ?? "") + NearestName.question(found, among: known)
    }

    /// For values that may hold a secret.
    init(_ sentence: String) { self.sentence = sentence }
}

extension ValueKind where Value == Int {
    static func number(_ range: ClosedRange<Int>) -> ValueKind {
        ValueKind { text throws(Rejection) in
            let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isPlain, let number = Int(text), range.contains(number) else {
                throw Rejection(
                    expected: "a number from \(range.lowerBound) to \(range.upperBound)", found: text)
            }
            return number
        } write: {
            "\($0)"
        }
    }

    /// The log's syslog priorities by name.
    static var logLevel: ValueKind {
        let names = ["error": 3, "warning": 4, "info": 6, "debug": 7]
        let order = ["error", "warning", "info", "debug"]
        return ValueKind { text throws(Rejection) in
            guard let level = names[text] else {
                throw Rejection(
                    expected: "one of \(order.joined(separator: ", "))", found: text, among: order)
            }
            return level
        } write: { level in
            order.last { names[$0, default: 0] <= level } ?? "error"
        }
    }
}

extension ValueKind where Value == Bool {
    static var yesNo: ValueKind {
        ValueKind { text throws(Rejection) in
            guard text == "yes" || text == "no" else { throw Rejection(expected: "yes or no", found: text) }
            return text == "yes"
        } write: {
            $0 ? "yes" : "no"
        }
    }
}

extension ValueKind where Value == Duration {
    static func duration(atLeast least: Duration) -> ValueKind {
        ValueKind { text throws(Rejection) in
            guard let duration = DurationText.read(text) else {
                throw Rejection(expected: "a duration such as 5m30s, 500ms or 2d", found: text)
            }
            guard duration >= least else {
                throw Rejection(expected: "a duration of at least \(DurationText.write(least))", found: text)
            }
            return duration
        } write: {
            DurationText.write($0)
        }
    }
}

extension ValueKind where Value == FilePath {
    static var path: ValueKind {
        ValueKind { text throws(Rejection) in
            guard let path = FilePath(text), path.isAbsolute, !path.components.contains([0x2e, 0x2e]) else {
                throw Rejection(expected: "an absolute path without '..'", found: text)
            }
            return path.normalized
        } write: {
            "\($0)"
        }
    }
}

extension ValueKind where Value == String {
    /// A name of a form's part.
    static var text: ValueKind {
        ValueKind { text throws(Rejection) in
            text
        } write: {
            $0
        }
    }

    /// A shell pattern for one file name, fnmatch(3).
    static var namePattern: ValueKind {
        ValueKind { text throws(Rejection) in
            guard !text.contains("/") else {
                throw Rejection(expected: "a pattern for names, without '/'", found: text)
            }
            return text
        } write: {
            $0
        }
    }
}

extension ValueKind
where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String, Value.AllCases: Sendable {
    static var choice: ValueKind {
        let names = Value.allCases.map(\.rawValue)
        return ValueKind { text throws(Rejection) in
            guard let value = Value(rawValue: text) else {
                throw Rejection(
                    expected: "one of \(names.joined(separator: ", "))", found: text, among: names)
            }
            return value
        } write: {
            $0.rawValue
        }
    }
}
