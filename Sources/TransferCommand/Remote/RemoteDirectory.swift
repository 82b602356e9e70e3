internal import FoundationEssentials
internal import TransferConfiguration
internal import TransferModel

/// The files of a directory at a server, which transferd is asked for.
struct RemoteDirectory {
    let session: Session

    /// The addresses of the files whose names match one of the patterns, in order of their names. Throws when there is none.
    func files(of url: TransferURL, matching globs: [String]) throws -> [TransferURL] {
        let patterns = NamePatterns(globs)
        var urls: [TransferURL] = []
        for name in try names(in: url) where patterns.matches(name) {
            guard let file = FileName(bytes: name), !file.hasControlBytes else {
                Complaint.write("'\(Shown.bytes(name))' is left out: no file can have that name here")
                continue
            }
            urls.append(url.appending(file))
        }
        guard !urls.isEmpty else {
            let words = globs.map { "'\(Shown.text($0))'" }.joined(separator: " or ")
            throw CommandError.usage("no file in '\(Shown.text(url.description))' matches \(words)")
        }
        return urls
    }

    private func names(in url: TransferURL) throws -> [[UInt8]] {
        let remote = Remote(session: session)
        try remote.requireDaemon("without one nobody can look into '\(Shown.text(url.description))'")
        let id = try remote.record(RemoteAsking(operation: .list, place: .url(url)))
        guard let job = try RemoteWait(session: session, id: id).run() else {
            throw CommandError.later("nothing is enqueued")
        }
        guard job.state.name == .done else {
            let reason = job.lastFailure.map { Shown.text($0.text) } ?? Sentences.end(of: job)
            let sentence = "nothing is enqueued: \(reason)"
            throw job.lastFailure?.class == .permanent
                ? CommandError.usage(sentence) : CommandError.later(sentence)
        }
        defer { ResultFile.remove(id, in: session.places) }
        guard let file = try ResultFile.open(id, in: session.places) else {
            throw CommandError.later("the list of '\(Shown.text(url.description))' is gone")
        }
        return try names(in: file)
    }

    private func names(in file: borrowing ResultFile) throws -> [[UInt8]] {
        var names: [[UInt8]] = []
        try file.lines { line in
            let listed = try JSONDecoder().decode(ListedName.self, from: Data(line))
            if let text = listed.unreadable {
                Complaint.write("a line of the list could not be read: \(Shown.text(text))")
            }
            guard let entry = listed.entry, entry.type == .file else { return }
            names.append(EscapedText.unescape(entry.name) ?? Array(entry.name.utf8))
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
