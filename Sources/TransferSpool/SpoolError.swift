/// What the file system refused: a sentence for the operator, and the errno behind it.
public struct SpoolError: Error, Hashable, Sendable, CustomStringConvertible {
    /// errno; 0 when the file system refused nothing and the request made no sense.
    public let code: Int32
    public let text: String

    init(code: Int32 = 0, text: String) {
        self.code = code
        self.text = text
    }

    public var description: String { text }
}
