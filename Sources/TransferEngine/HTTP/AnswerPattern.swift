internal import Glibc

/// A POSIX extended regular expression on bytes, as regcomp(3) reads it.
enum AnswerPattern {
    /// Whether it is found anywhere in `bytes`; `^` and `$` stand at the ends of lines. One that cannot be read matches
    /// nothing: it is refused where it is configured.
    static func matches(_ pattern: String, in bytes: [UInt8]) -> Bool {
        var expression = regex_t()
        guard regcomp(&expression, pattern, REG_EXTENDED | REG_NEWLINE | REG_NOSUB) == 0 else { return false }
        defer { regfree(&expression) }
        // A byte that ends a C string would hide what stands behind it.
        let text = bytes.map { CChar(bitPattern: $0 == 0 ? 0x20 : $0) } + [0]
        return regexec(&expression, text, 0, nil, 0) == 0
    }
}
