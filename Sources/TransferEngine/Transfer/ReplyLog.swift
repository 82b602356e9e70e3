internal import TransferModel

/// The replies of an FTP server: their codes and the text of their lines (RFC 959, section 4.2).
struct ReplyLog: Sendable {
    struct Entry: Sendable {
        let code: Int
        /// The lines without their codes, at most ``longest`` bytes.
        let text: [UInt8]
    }

    /// Whole replies in order, the last ``most`` of them.
    private(set) var entries: [Entry] = []
    /// How many whole replies there were, with those that are no longer kept.
    private(set) var total = 0
    private var pending: [UInt8] = []
    private var openCode: Int?

    static let longest = 2_048
    static let most = 64

    /// Of the last whole reply; 0 before the first.
    var code: Int { entries.last?.code ?? 0 }
    var text: [UInt8] { entries.last?.text ?? [] }
    var codes: [Int] { entries.map(\.code) }

    /// Takes one line of the control connection, with or without its line end; whether a reply is whole with it.
    @discardableResult
    mutating func take(_ line: some Collection<UInt8>) -> Bool {
        let line = Self.trimmed(Array(line.prefix(Self.longest)))
        let number = Self.number(line)
        let isLast = number != nil && (line.count == 3 || line[3] == UInt8(ascii: " "))
        if let openCode {
            let ends = isLast && number == openCode
            append(ends ? line.dropFirst(4) : line[...])
            if ends { close(openCode) }
            return ends
        }
        guard let number else { return false }
        append(line.dropFirst(4))
        if isLast { close(number) } else { openCode = number }
        return isLast
    }

    private mutating func append(_ line: ArraySlice<UInt8>) {
        guard pending.count < Self.longest else { return }
        if !pending.isEmpty { pending += " / ".utf8 }
        pending += line
    }

    private mutating func close(_ code: Int) {
        // The answer to libcurl's QUIT, with which it leaves after a refusal, says nothing of what was refused.
        if code == 221, let last = entries.last, last.code >= 400 {
            pending = []
            openCode = nil
            return
        }
        if entries.count == Self.most { entries.removeFirst() }
        entries.append(Entry(code: code, text: pending))
        total += 1
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
        return Int(line[0] - 0x30) * 100 + Int(line[1] - 0x30) * 10 + Int(line[2] - 0x30)
    }
}
