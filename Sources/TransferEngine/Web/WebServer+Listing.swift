internal import TransferModel

extension WebServer {
    /// What is asked of each thing.
    private static let wanted = Array(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <propfind xmlns="DAV:" xmlns:oc="\(Multistatus.ownCloud)"><prop><resourcetype/><getcontentlength/>\
        <getlastmodified/><oc:checksums/></prop></propfind>
        """.utf8)

    private static let longestList = 256 << 20

    /// PROPFIND; `found` nil: the server answered otherwise.
    func properties(
        of url: TransferURL, depth: Int, doing: String, on lane: isolated Lane
    ) async throws -> (found: Multistatus?, answer: WebAnswer) {
        let sink = CollectedBytes(atMost: Self.longestList, "the server's answer")
        let question = WebQuestion(
            method: "PROPFIND", url: url, doing: doing,
            headers: ["Depth: \(depth)", "Content-Type: application/xml; charset=utf-8"], body: Self.wanted,
            sink: sink)
        let answer = try await ask(question, on: lane)
        guard answer.status == 207 else { return (nil, answer) }
        do throws(XMLReader.Mistake) {
            return (try Multistatus(sink.bytes), answer)
        } catch {
            throw Failure(
                .temporary, code: 207, text: "\(doing): the server's list cannot be read: \(error.text)")
        }
    }

    func list(_ path: RemotePath, on lane: isolated Lane) async throws -> RemoteListing {
        let doing = "listing \(name(path))"
        let url = place.address(of: path, isCollection: true)
        let (found, answer) = try await properties(of: url, depth: 1, doing: doing, on: lane)
        guard let found else {
            if answer.isSuccess || answer.head.lacksMethod || answer.status == 415 {
                throw Failure(
                    .permanent, code: answer.status,
                    text: "\(doing): the server has no WebDAV here, and HTTP alone has no lists (it answered "
                        + "\(answer.head.answer))")
            }
            throw refusal(answer, doing: doing)
        }
        return try WebListing.make(of: path, found, doing: doing)
    }
}

/// What PROPFIND says of a directory, as a list of names.
enum WebListing {
    /// Throws where the answer is about something that is no directory.
    static func make(
        of path: RemotePath, _ found: Multistatus, doing: String
    ) throws(Failure) -> RemoteListing {
        // A proxy may have another path in front: then the directory is what has the fewest names.
        guard
            let own = found.entries.first(where: { $0.names == path.names })
                ?? found.entries.min(by: { $0.names.count < $1.names.count })
        else { throw Failure(.temporary, text: "\(doing): the server says nothing of it") }
        guard own.isCollection else { throw Failure(.permanent, text: "\(doing): it is no directory") }
        let base = own.names
        var listing = RemoteListing()
        for entry in found.entries where entry != own {
            let names = entry.names
            guard names.count == base.count + 1, names.starts(with: base), let name = names.last else {
                listing.unreadable.append(entry.href)
                continue
            }
            var listed = RemoteEntry(name: name, kind: entry.isCollection ? .directory : .file)
            listed.size = entry.isCollection ? nil : entry.size
            listed.modified = entry.modified
            listing.entries.append(listed)
        }
        return listing
    }
}
