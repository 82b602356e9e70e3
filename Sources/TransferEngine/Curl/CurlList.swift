internal import CCurl

/// A list of texts that an option points to; has to live as long as the transfer that uses it.
final class CurlList {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    /// Items must not hold a NUL byte: what follows it would be lost.
    init(_ items: [[UInt8]]) {
        for item in items {
            precondition(!item.contains(0), "a command or header holds no NUL byte")
            let text = item.map(CChar.init(bitPattern:)) + [0]
            guard let longer = curl_slist_append(head, text) else { preconditionFailure("memory for a line") }
            head = longer
        }
    }

    deinit { curl_slist_free_all(head) }
}
