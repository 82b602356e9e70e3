internal import TransferModel

extension SFTPServer {
    func quote(_ commands: [[UInt8]], on lane: isolated Lane) async throws -> [RemoteReply] {
        let parsed = try commands.map { (line) throws(Failure) in try SFTPCommand(line) }
        return try await carryOut("sending commands to \(assignment.job.origin)", mayRepeat: false, on: lane)
        {
            connection in
            connection.lastStored = nil
            return try await connection.carryOut(parsed, on: lane)
        }
    }
}

extension SFTPConnection {
    /// One after the other; a refusal ends them and is the last reply.
    func carryOut(_ commands: [SFTPCommand], on lane: isolated Lane) async throws -> [RemoteReply] {
        var replies: [RemoteReply] = []
        for command in commands {
            let answer = try await ask(command.message, on: lane, command.put)
            let status = try answer.status
            let text = status.isSuccess ? try command.text(of: answer) : Array(status.words.utf8)
            let isRefusal = !status.isSuccess && !command.mayFail
            replies.append(RemoteReply(code: Int(status.code), text: text, isRefusal: isRefusal))
            if isRefusal { break }
        }
        return replies
    }
}

/// A command for an SFTP server, in the words of sftp(1): a verb and its arguments, between blanks.
///
/// An argument with blanks in it stands between double or single quotes; a backslash takes the next byte as it is,
/// but not between single quotes. A `*` before the verb lets a refusal pass. The vocabulary: `chmod MODE PATH`,
/// `chown UID:GID PATH`, `mkdir PATH`, `rmdir PATH`, `rm PATH`, `rename FROM TO`,
/// `ln -s TARGET LINK`, `symlink TARGET LINK`, `pwd`.
struct SFTPCommand {
    let message: SFTPMessage
    let mayFail: Bool
    private let fields: [Field]

    private enum Field {
        case string([UInt8])
        case attributes(SFTPAttributes)
    }

    /// Throws a permanent failure that says what is wrong with the line.
    init(_ line: [UInt8]) throws(Failure) {
        guard !line.contains(where: EscapedText.isControl) else {
            throw Failure(.permanent, text: "a command has a control byte in it")
        }
        mayFail = line.first == UInt8(ascii: "*")
        guard var words = CommandWords.split(mayFail ? line.dropFirst() : line[...]), !words.isEmpty else {
            throw Failure(
                .permanent, text: "the command '\(EscapedText.escape(line))' has a quote without its end")
        }
        let verb = String(decoding: words.removeFirst(), as: UTF8.self).lowercased()
        guard let (message, fields) = Self.read(verb, words) else {
            throw Failure(
                .permanent,
                text:
                    "'\(EscapedText.escape(line))' is no command for SFTP; there are chmod MODE PATH, chown "
                    + "UID:GID PATH, mkdir PATH, rmdir PATH, rm PATH, rename FROM TO, ln -s TARGET LINK and pwd"
            )
        }
        self.message = message
        self.fields = fields
    }

    private static func read(_ verb: String, _ words: [[UInt8]]) -> (SFTPMessage, [Field])? {
        switch (verb, words.count) {
        case ("mkdir", 1): (.makeDirectory, [.string(words[0]), .attributes(SFTPAttributes())])
        case ("rmdir", 1): (.removeDirectory, [.string(words[0])])
        case ("rm", 1): (.remove, [.string(words[0])])
        case ("pwd", 0): (.realPath, [.string([0x2e])])
        case ("rename", 2): (.rename, words.map { .string($0) })
        // OpenSSH, which all others follow, has the two the other way round than the draft.
        case ("symlink", 2): (.symbolicLink, words.map { .string($0) })
        case ("ln", 3) where words[0] == Array("-s".utf8):
            (.symbolicLink, words.dropFirst().map { .string($0) })
        case ("chmod", 2): mode(words[0]).map { (.setStatus, [.string(words[1]), .attributes($0)]) }
        case ("chown", 2): owners(words[0]).map { (.setStatus, [.string(words[1]), .attributes($0)]) }
        default: nil
        }
    }

    private static func mode(_ word: [UInt8]) -> SFTPAttributes? {
        Permissions(String(decoding: word, as: UTF8.self)).map {
            SFTPAttributes(permissions: UInt32($0.bits))
        }
    }

    private static func owners(_ word: [UInt8]) -> SFTPAttributes? {
        let numbers = String(decoding: word, as: UTF8.self).split(separator: ":").map { UInt32($0) }
        guard numbers.count == 2, let owner = numbers[0], let group = numbers[1] else { return nil }
        return SFTPAttributes(owner: owner, group: group)
    }

    func put(_ writer: inout SFTPWriter) {
        for field in fields {
            switch field {
            case .string(let bytes): writer.put(bytes)
            case .attributes(let attributes): writer.put(attributes)
            }
        }
    }

    /// What is worth showing of a success: the path that was asked for.
    func text(of answer: SFTPReply) throws(SFTPFormatError) -> [UInt8] {
        guard answer.message == .names else { return [] }
        var reader = SFTPReader(answer.fields)
        _ = try reader.number()
        return Array(try reader.string())
    }
}

/// Splits a line into words.
enum CommandWords {
    /// nil when a quote has no end.
    static func split(_ line: ArraySlice<UInt8>) -> [[UInt8]]? {
        var words: [[UInt8]] = []
        var word: [UInt8]?
        var quote: UInt8?
        var rest = line
        while let byte = rest.popFirst() {
            switch (byte, quote) {
            case (UInt8(ascii: "\\"), nil), (UInt8(ascii: "\\"), UInt8(ascii: "\"")):
                guard let next = rest.popFirst() else { return nil }
                word = (word ?? []) + [next]
            case (let end, let open?) where end == open: quote = nil
            case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil):
                quote = byte
                word = word ?? []
            case (UInt8(ascii: " "), nil):
                if let done = word { words.append(done) }
                word = nil
            case (_, _): word = (word ?? []) + [byte]
            }
        }
        guard quote == nil else { return nil }
        return words + (word.map { [$0] } ?? [])
    }
}
