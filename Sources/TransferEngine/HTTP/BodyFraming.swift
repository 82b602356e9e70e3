internal import TransferModel

/// What says where the body of an answer ends (RFC 9112, section 6.3).
enum BodyFraming: Hashable, Sendable {
    case length(Int64)
    /// The end is marked, so a cut body is noticed.
    case chunked
    /// The end of the connection: a cut body looks like a whole one.
    case connection
    /// Lengths that contradict each other, or none that a file can have; the text says which.
    case invalid(String)

    init(_ head: HTTPHead) {
        if head.status == 204 {
            self = .length(0)
        } else if head.values("transfer-encoding").contains(where: { $0.lowercased().hasSuffix("chunked") }) {
            self = .chunked
        } else {
            self.init(lengths: head.values("content-length"))
        }
    }

    /// Equal values are one (RFC 9110, section 8.6).
    private init(lengths: [String]) {
        let values = Set(lengths.flatMap { $0.split(separator: ",").map { String($0).trimmingBlanks() } })
        guard let value = values.first else {
            self = .connection
            return
        }
        let isNumber = value.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if values.count > 1 {
            self = .invalid("two different lengths (\(values.sorted().joined(separator: ", ")))")
        } else if isNumber, let length = Int64(value) {
            self = .length(length)
        } else {
            self = .invalid("a length that no file has ('\(value)')")
        }
    }
}
