internal import TransferModel

extension FTPServer {
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

/// A time as FTP writes it: YYYYMMDDhhmmss in UTC (RFC 3659, section 2.3).
struct FTPTime: Hashable, Sendable {
    let text: String

    /// nil for a year that has not four digits.
    init?(_ time: Timestamp) {
        let time = CalendarTime(time)
        guard (1000...9999).contains(time.year) else { return nil }
        let rest = [time.month, time.day, time.hour, time.minute, time.second]
        text = "\(time.year)" + rest.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
    }

    /// How servers are told a file's time, the best first.
    enum Way: String, CaseIterable {
        case mfmt, mdtm, utime, utimeOfThree

        var name: String {
            switch self {
            case .mfmt: "MFMT"
            case .mdtm: "MDTM"
            case .utime, .utimeOfThree: "SITE UTIME"
            }
        }

        func command(_ time: FTPTime, _ path: RemotePath) -> [UInt8] {
            switch self {
            case .mfmt, .mdtm, .utime: FTPServer.command("\(name) \(time.text)", path)
            // Access, modification and change, as pure-ftpd and proftpd read it.
            case .utimeOfThree:
                FTPServer.command(name, path)
                    + Array(" \(time.text) \(time.text) \(time.text) UTC".utf8)
            }
        }

        /// A server that only tells times takes MDTM's time for the beginning of a name.
        func isDone(_ reply: ReplyLog.Entry, _ time: FTPTime) -> Bool {
            guard reply.code < 300 else { return false }
            guard self == .mdtm, reply.code == 213 else { return true }
            let text = String(decoding: reply.text, as: UTF8.self)
            return text.contains(time.text) || !text.utf8.prefix(14).allSatisfy { (0x30...0x39).contains($0) }
        }
    }
}
