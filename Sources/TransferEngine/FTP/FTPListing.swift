internal import CCurl
internal import TransferModel

/// Asks an FTP server what a directory holds: with MLSD, whose form is fixed, else with LIST.
///
/// MLSD is given the path. LIST is not, since servers take a word that begins with a dash for options and stop at
/// blanks: the directory is entered first, and since later requests name their paths from the login's directory, the
/// connection is not used again.
struct FTPListing {
    let origin: Origin
    let path: RemotePath
    /// Sees the lines of the control connection and the TLS handshakes.
    var watch: FTPWatch?

    /// The most that a list may have, in bytes.
    static let longest = 64 << 20

    func read(on lane: isolated Lane) async throws -> RemoteListing {
        if mayAskMachine(lane), let listing = try await machineListing(lane) { return listing }
        let (answer, content) = try await ask(nil, lane)
        if answer.error == nil, !answer.isDenied { return try listing(content, .list) }
        if answer.hasEntered, answer.saysEmpty { return RemoteListing() }
        throw Failure(answer, doing: doing)
    }

    private func mayAskMachine(_ lane: isolated Lane) -> Bool {
        guard !lane.memory.lacks("MLSD") else { return false }
        return lane.memory.features.map { $0.has("MLST") || $0.has("MLSD") } ?? true
    }

    /// nil when MLSD told nothing, and LIST may.
    private func machineListing(_ lane: isolated Lane) async throws -> RemoteListing? {
        let (answer, content) = try await ask("MLSD", lane)
        // libcurl takes a 450 for an empty list; whether there is such a directory it does not tell.
        if answer.error == nil { return answer.replies.code == 450 ? nil : try listing(content, .facts) }
        guard answer.isLoggedIn, answer.received == 0 else { throw Failure(answer, doing: doing) }
        switch answer.replies.code {
        case 500, 502, 504:
            lane.memory.noteLack(of: "MLSD")
            return nil
        case 501, 550, 553: return nil
        default: throw Failure(answer, doing: doing)
        }
    }

    private func listing(_ content: [UInt8], _ form: ListingReader.Form) throws(Failure) -> RemoteListing {
        guard !ListingReader.isCut(content) else {
            throw Failure(.temporary, text: "\(doing): the list was cut in the middle of a line")
        }
        return ListingReader.read(content, as: form, now: .now())
    }

    /// `command` nil: LIST, in the directory itself.
    private func ask(_ command: String?, _ lane: isolated Lane) async throws -> (Answer, [UInt8]) {
        let content = CollectedBytes(atMost: Self.longest, "the list of \(path)")
        var request = Request(url: path.addressOfDirectory(at: origin))
        if let command {
            request.set(.customRequest, command)
        } else {
            request.set(.ftpFileMethod, Int(CURLFTPMETHOD_SINGLECWD.rawValue))
        }
        request.sink = content
        request.takesList = true
        watch?.look(at: &request)
        let answer = try await lane.perform(request)
        // libcurl's own way to give it up is to wait for the reply to a QUIT.
        if command == nil { lane.control.cutConnection() }
        return (answer, content.bytes)
    }

    private var doing: String {
        let isHome = path.names.isEmpty && !path.isAbsolute
        return "listing \(isHome ? "the login's directory" : "\(path)") at \(origin)"
    }
}

extension Answer {
    /// Whether the directory could be entered, so that there is one.
    fileprivate var hasEntered: Bool { isLoggedIn && !failed(CURLE_REMOTE_ACCESS_DENIED) }

    /// Some servers refuse to list a directory in which nothing is (450, 550), in words like "No files found".
    fileprivate var saysEmpty: Bool {
        let words = ["no files", "no such file", "not found", "empty", "no entries"]
        return [450, 550].contains(replies.code) && received == 0 && says(words)
    }

    /// libcurl takes every 450 for an empty list.
    fileprivate var isDenied: Bool { replies.code == 450 && says(["denied", "permission", "not allowed"]) }

    private func says(_ words: [String]) -> Bool {
        let text = String(decoding: replies.text, as: UTF8.self).lowercased()
        return words.contains { text.contains($0) }
    }
}

extension RemotePath {
    /// The address of the directory, as libcurl takes it.
    fileprivate func addressOfDirectory(at origin: Origin) -> String {
        if names.isEmpty { return origin.root + (isAbsolute ? "/" : "") }
        return address(at: origin) + "/"
    }
}
