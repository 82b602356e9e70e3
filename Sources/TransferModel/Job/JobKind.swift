/// What kind of worker carries a job.
public enum JobKind: String, CaseIterable, Codable, Sendable {
    /// One file to an FTP, FTPS or SFTP server.
    case upload
    /// One multipart/form-data POST (RFC 7578).
    case form
    /// One file from an HTTP or FTP server to a directory here.
    case download
    /// One thing to be looked at or changed at a file server: ``RemoteOperation``.
    case remote
}
