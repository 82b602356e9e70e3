internal import TransferModel

extension Transfer {
    /// Takes what the server said before the connection broke, as if libcurl had read it: the replies of an FTP server, or
    /// the answer of a web server. Over TLS it is nobody's to read.
    func hear(_ words: [UInt8]) {
        guard let first = words.first else { return }
        if isFTP {
            guard (0x31...0x35).contains(first) else { return }
            for line in lines(words[...]) { give(line) }
        } else if words.starts(with: "HTTP/".utf8) {
            hearAnswer(words[...])
        }
    }

    /// Interim answers come before the one that counts, whose body may be cut.
    private func hearAnswer(_ words: ArraySlice<UInt8>) {
        var head = HTTPHead()
        var rest = words
        while !head.isComplete, let line = lines(rest).first {
            rest = rest.dropFirst(line.count)
            head.take(line)
            guard give(line) else { return }
        }
        answer.status = head.status
        let isFramed = head.value("transfer-encoding") != nil
        guard head.isComplete, !isFramed, !rest.isEmpty else { return }
        _ = rest.withUnsafeBytes { write($0) }
    }

    @discardableResult
    private func give(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { line($0) == bytes.count }
    }

    /// Whole ones, with their ends.
    private func lines(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0a) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return lines
    }
}
