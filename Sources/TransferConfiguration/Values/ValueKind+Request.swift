import Glibc
import TransferModel

extension ValueKind where Value == SuccessStatuses {
    static var successStatuses: ValueKind {
        ValueKind { text throws(Rejection) in
            guard let statuses = SuccessStatuses(text) else {
                throw Rejection(
                    expected: "statuses such as 200,201 or 200-204 and classes such as 2xx", found: text)
            }
            return statuses
        } write: {
            "\($0)"
        }
    }
}

extension ValueKind where Value == JSONCondition {
    static var jsonCondition: ValueKind {
        ValueKind { text throws(Rejection) in
            do throws(InvalidCondition) {
                return try JSONCondition(text)
            } catch {
                throw Rejection(
                    expected: "a condition such as /status == \"ok\"", found: text, reason: error.description)
            }
        } write: {
            "\($0)"
        }
    }
}

extension ValueKind where Value == IdempotencyHeader {
    static var idempotencyHeader: ValueKind {
        ValueKind { text throws(Rejection) in
            guard let header = IdempotencyHeader(text) else {
                throw Rejection(
                    expected: "the name of a header field such as X-Request-ID, or 'off'", found: text)
            }
            return header
        } write: {
            "\($0)"
        }
    }
}

extension ValueKind where Value == String {
    /// A POSIX extended regular expression, regex(7).
    static var pattern: ValueKind {
        ValueKind { text throws(Rejection) in
            if let objection = PatternText.objection(to: text) {
                throw Rejection(expected: "an extended regular expression", found: text, reason: objection)
            }
            return text
        } write: {
            $0
        }
    }
}

extension ValueKind where Value == NameTemplate {
    /// A path below the directory of replies, or a whole one; what fills its placeholders never leads out of it.
    static var replyFile: ValueKind {
        ValueKind { text throws(Rejection) in
            let expected = "a path such as '{route}/{id}.txt'"
            let template: NameTemplate
            do throws(InvalidTemplate) {
                template = try NameTemplate(text)
            } catch {
                throw Rejection(expected: expected, found: text, reason: error.description)
            }
            guard !text.hasSuffix("/"), !text.split(separator: "/").contains("..") else {
                throw Rejection(expected: expected, found: text, reason: "it names no file, or '..' is in it")
            }
            let meaningless: [NameTemplate.Placeholder] =
                NameTemplate.Placeholder.ofPaths + [.size, .sha256, .mtime]
            if let wrong = meaningless.first(where: template.contains) {
                throw Rejection(
                    expected: expected, found: text, reason: "{\(wrong.rawValue)} has no meaning in it")
            }
            return template
        } write: {
            "\($0)"
        }
    }
}

/// Regular expressions as regcomp(3) reads them.
private enum PatternText {
    /// What is wrong with it; nil when it can be used.
    static func objection(to text: String) -> String? {
        var expression = regex_t()
        let code = regcomp(&expression, text, REG_EXTENDED | REG_NOSUB)
        guard code != 0 else {
            regfree(&expression)
            return nil
        }
        var words = [CChar](repeating: 0, count: 200)
        regerror(code, &expression, &words, words.count)
        return String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
