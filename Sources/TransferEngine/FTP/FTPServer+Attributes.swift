internal import TransferModel

extension FTPServer {
    /// MDTM (RFC 3659, section 3), whose time is written as that of MLSD.
    func modified(of path: RemotePath, on lane: isolated Lane) async throws -> Timestamp? {
        let doing = "asking \(origin) for the modification time of \(path)"
        let reply = try await ask([Self.command("MDTM", path)], doing: doing, on: lane)[0]
        return reply.code == 213 ? FactsLine.time(Array(reply.text.drop { $0 == 0x20 })) : nil
    }

    /// MFMT (draft-somers-ftp-mfxx, section 3); else MDTM with a time, which vsftpd takes; else SITE UTIME in its two
    /// orders of words. What a server does not know is not asked of it again.
    func setModified(_ time: Timestamp, of path: RemotePath, on lane: isolated Lane) async throws -> String? {
        guard let time = FTPTime(time) else { return nil }
        for way in FTPTime.Way.allCases where !lane.memory.lacks(way.rawValue) {
            let doing = "setting the modification time of \(path) at \(origin)"
            let reply = try await ask([way.command(time, path)], doing: doing, on: lane)[0]
            if way.isDone(reply, time) { return way.name }
            if [500, 501, 502, 504].contains(reply.code) { lane.memory.noteLack(of: way.rawValue) }
        }
        return nil
    }

    func setPermissions(_ permissions: Permissions, of path: RemotePath, on lane: isolated Lane) async throws
        -> String?
    {
        let command = Self.command("SITE CHMOD \(permissions)", path)
        let doing = "setting the permissions of \(path) at \(origin)"
        let reply = try await ask([command], doing: doing, on: lane)[0]
        return reply.code < 400 ? "SITE CHMOD" : nil
    }
}
