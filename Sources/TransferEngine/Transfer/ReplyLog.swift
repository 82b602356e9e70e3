internal import TransferModel

/// The last reply of an FTP server: its code and the text of its lines (RFC 959, section 4.2).
struct ReplyLog: Sendable {
    /// Of the last whole reply; 0 before the first.
    private(set) var code = 0
    /// Every code in order, the first 64 of the transfer.
    private(set) var codes: [Int] = []
    /// The last reply's lines without their codes, at most ``longest`` bytes.
    private(set) var text: [UInt8] = []
    private var pending: [UInt8] = []
    private var openCode: Int?

    static let longest = 2_048

    /// Takes one line of the control connection, with or without its line end.
    mutating func take(_ line: some Collection<UInt8>) {
        let line = Self.trimmed(Array(line.prefix(Self.longest)))
        let number = Self.number(line)
        let isLast = number != nil && (line.count == 3 || line[3] == UInt8(ascii: " "))
        if let openCode {
            let ends = isLast && number == openCode
            append(ends ? Array(line.dropFirst(4)) : line)
            if ends { close(openCode) }
        } else if let number {
            append(Array(line.dropFirst(4)))
            if isLast { close(number) } else { openCode = number }
        }
    }

    private mutating func append(_ line: [UInt8]) {
        guard pending.count < Self.longest else { return }
        pending += (pending.isEmpty ? [] : Array(" / ".utf8)) + line
    }

    private mutating func close(_ code: Int) {
        self.code = code
        if codes.count < 64 { codes.append(code) }
        text = pending
        pending = []
        openCode = nil
    }

    private static func trimmed(_ line: [UInt8]) -> [UInt8] {
        var line = line
        while let last = line.last, last == 0x0d || last == 0x0a { line.removeLast() }
        return line
    }

    private static func number(_ line: [UInt8]) -> Int? {
        guard line.count >= 3, line.prefix(3).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return line.prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
