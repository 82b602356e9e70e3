/// How an upload is put into place at its server: what a job, its route and its origin wish, and what holds. A download
/// is put into place here, for which the conflict's policy, the time and the permissions mean something.
///
/// Every wish may be left out. The job's come first, then the route's, then the origin's, then the default.
public struct DeliveryWishes: Hashable, Codable, Sendable {
    public var temporaryName: TemporaryName?
    public var onConflict: ConflictPolicy?
    public var verification: Verification?
    public var resuming: Resuming?
    /// Whether the source's modification time is set at the other side, as far as the server lets it be set or tells it.
    public var keepsModified: Bool?
    /// Permission bits that the file gets, such as 0o640.
    public var permissions: Permissions?
    public var transferType: TransferType?
    /// Commands of the server's own (RFC 959; the few of SFTP) before the first byte and after all is in place.
    public var before: [NameTemplate]?
    public var afterSent: [NameTemplate]?
    /// An empty file beside the target that says it is there: `{name}.done`.
    public var marker: NameTemplate?
    /// A file beside the target with its SHA-256 as sha256sum(1) writes it: `{name}.sha256`.
    public var checksumFile: NameTemplate?

    public init() {}

    /// These wishes, and `others` where these say nothing.
    public func or(_ others: DeliveryWishes?) -> DeliveryWishes {
        guard let others else { return self }
        var merged = self
        merged.temporaryName = temporaryName ?? others.temporaryName
        merged.onConflict = onConflict ?? others.onConflict
        merged.verification = verification ?? others.verification
        merged.resuming = resuming ?? others.resuming
        merged.keepsModified = keepsModified ?? others.keepsModified
        merged.permissions = permissions ?? others.permissions
        merged.transferType = transferType ?? others.transferType
        merged.before = before ?? others.before
        merged.afterSent = afterSent ?? others.afterSent
        merged.marker = marker ?? others.marker
        merged.checksumFile = checksumFile ?? others.checksumFile
        return merged
    }
}

/// What becomes of an upload or a download whose final name is taken; decided when the new file is whole and verified.
public enum ConflictPolicy: String, CaseIterable, Codable, Sendable {
    /// The new file takes the old one's place.
    case replace
    /// The new file gets a free name, `stem-1.ext` and so on.
    case rename
    /// The old file stays, and the job is done without having sent anything.
    case skip
    /// The old file stays, and the job has failed.
    case fail
}

/// What is compared before a file counts as arrived. The size always is, where the server can tell it.
public enum Verification: String, CaseIterable, Codable, Sendable {
    case size
    /// The strongest checksum that the server offers (HASH, XSHA256 …) as well.
    case checksum
    /// The last bytes are read back as well.
    case readBack = "read_back"
    /// HTTP: nothing; the server's answer is the word that it stands.
    case answer
}

/// How an interrupted upload goes on.
public enum Resuming: String, CaseIterable, Codable, Sendable {
    /// With APPE, which every server knows; over SFTP at the offset.
    case append
    /// With REST and STOR, where the server is known to keep what stands before the offset.
    case restart = "rest"
    /// Always from the start, as every PUT of HTTP.
    case off
}

/// RFC 959, section 3.1.1.
public enum TransferType: String, CaseIterable, Codable, Sendable {
    /// Byte for byte.
    case image
    /// Text, whose line ends the server may change; nothing but the server's word says that it arrived.
    case ascii
}

/// Permission bits of a file, written in octal.
public struct Permissions: Hashable, Codable, Sendable, CustomStringConvertible {
    public let bits: UInt16

    /// The lower twelve bits.
    public init(_ bits: UInt16) { self.bits = bits & 0o7777 }

    /// nil for anything but three or four octal digits.
    public init?(_ text: String) {
        guard (3...4).contains(text.utf8.count), let bits = UInt16(text, radix: 8) else { return nil }
        self.bits = bits
    }

    public var description: String {
        let digits = String(bits, radix: 8)
        return String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
    }
}
