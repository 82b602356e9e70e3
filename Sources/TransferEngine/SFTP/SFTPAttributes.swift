internal import Glibc
internal import TransferModel

/// What a server says about a file, or is to set. Source: draft-ietf-secsh-filexfer-02, section 5.
struct SFTPAttributes: Hashable, Sendable {
    var size: UInt64?
    var owner: UInt32?
    var group: UInt32?
    /// With the bits of the file's kind, as stat(2) has them.
    var permissions: UInt32?
    /// Seconds since 1970. The access time is set to the same.
    var modified: UInt32?

    static let sizeFlag: UInt32 = 0x1
    static let ownersFlag: UInt32 = 0x2
    static let permissionsFlag: UInt32 = 0x4
    static let timesFlag: UInt32 = 0x8
    static let extendedFlag: UInt32 = 0x8000_0000

    var kind: RemoteEntry.Kind {
        switch permissions.map({ $0 & UInt32(S_IFMT) }) {
        case UInt32(S_IFREG): .file
        case UInt32(S_IFDIR): .directory
        case UInt32(S_IFLNK): .link
        case .some, nil: .other
        }
    }

    /// Whether a size means the bytes of a file. Servers that tell no kinds are believed.
    var file: RemoteFile {
        guard let size = size.flatMap(Int64.init(exactly:)) else { return .present }
        let hasKind = permissions.map { $0 & UInt32(S_IFMT) != 0 } ?? false
        return hasKind && kind != .file ? .present : .size(size)
    }

    var bits: Permissions? { permissions.flatMap { Permissions(String($0 & 0o7777, radix: 8).padded) } }

    var timestamp: Timestamp? { modified.map { Timestamp(rawValue: Int64($0) * 1_000) } }
}

extension String {
    /// To three digits.
    fileprivate var padded: String { String(repeating: "0", count: max(0, 3 - utf8.count)) + self }
}
