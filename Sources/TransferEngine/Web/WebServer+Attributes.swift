internal import TransferModel

extension WebServer {
    /// As PROPFIND says it, which lists are made by.
    func modified(of path: RemotePath, on lane: isolated Lane) async throws -> Timestamp? {
        try await properties(of: path, on: lane)?.modified
    }

    /// Ways to set the time by PROPPATCH, each with the name of its property: no two servers have the same.
    private static func properties(for time: Timestamp) -> [(name: String, element: String)] {
        let seconds = time.rawValue / 1_000
        let date = HTTPDate.text(time)
        return [
            ("lastmodified", "<lastmodified xmlns=\"DAV:\">\(seconds)</lastmodified>"),
            ("getlastmodified", "<getlastmodified xmlns=\"DAV:\">\(date)</getlastmodified>"),
            (
                "Win32LastModifiedTime",
                "<Win32LastModifiedTime xmlns=\"urn:schemas-microsoft-com:\">\(date)</Win32LastModifiedTime>"
            ),
        ]
    }

    /// What was sent with the file may have done it; whether anything has shows in what the server says of the file then,
    /// since some keep every property without a meaning.
    func setModified(_ time: Timestamp, of path: RemotePath, on lane: isolated Lane) async throws -> String? {
        guard !place.hasQuery else { return nil }
        if try await hasModified(time, path, lane) { return "X-OC-Mtime" }
        guard try await speaksDAV(on: lane) else { return nil }
        for (name, element) in Self.properties(for: time) where !lane.memory.lacks("PROPPATCH \(name)") {
            if try await patch(path, element, lane), try await hasModified(time, path, lane) {
                return "PROPPATCH \(name)"
            }
            lane.memory.noteLack(of: "PROPPATCH \(name)")
        }
        return nil
    }

    private func hasModified(_ time: Timestamp, _ path: RemotePath, _ lane: isolated Lane) async throws
        -> Bool
    {
        let question = WebQuestion(
            method: "HEAD", url: address(of: path), doing: "asking for \(name(path))")
        let head = try await ask(question, on: lane).head
        let told = head.value("last-modified").flatMap(HTTPDate.parse)
        return told.map { $0.rawValue / 1_000 == time.rawValue / 1_000 } ?? false
    }

    private func patch(_ path: RemotePath, _ element: String, _ lane: isolated Lane) async throws -> Bool {
        let body = """
            <?xml version="1.0" encoding="utf-8"?>
            <propertyupdate xmlns="DAV:"><set><prop>\(element)</prop></set></propertyupdate>
            """
        let question = WebQuestion(
            method: "PROPPATCH", url: address(of: path), doing: "setting the time of \(name(path))",
            headers: ["Content-Type: application/xml; charset=utf-8"], body: Array(body.utf8))
        return try await ask(question, on: lane).isSuccess
    }

    func setPermissions(
        _ permissions: Permissions, of path: RemotePath, on lane: isolated Lane
    ) async throws -> String? { nil }

    // MARK: What the server can

    /// Whether the server says that it speaks WebDAV (RFC 4918, section 10.1); asked once.
    func speaksDAV(on lane: isolated Lane) async throws -> Bool {
        if let known = lane.memory.features { return known.has("DAV") }
        let question = WebQuestion(
            method: "OPTIONS", url: directory, doing: "asking \(origin) what it can")
        let features = ServerFeatures(options: try await ask(question, on: lane).head)
        lane.memory.features = features
        return features.has("DAV")
    }

    /// The address of the directory that the job's file is in, or of the one that it names.
    var directory: TransferURL {
        let path = RemotePath(isAbsolute: true, names: assignment.job.url.serverPath.names)
        return place.address(of: assignment.job.url.isDirectory ? path : path.parent, isCollection: true)
    }
}

extension ServerFeatures {
    /// What the answer to OPTIONS says: the fields `DAV` and `Allow`.
    init(options head: HTTPHead) {
        let fields = ["dav", "allow", "server"]
        lines = fields.compactMap { field in
            let values = head.values(field)
            return values.isEmpty ? nil : "\(field.uppercased()) \(values.joined(separator: ", "))"
        }
    }
}
