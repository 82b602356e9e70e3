import CLinux
internal import Glibc
internal import TransferModel

/// Which version of the server's file one that stands here is: noted with the file itself, in the extended attribute
/// `user.transferd.version` (xattr(7)), so that it goes where the file goes and ends with it.
///
/// It holds only for the size and the time that the file had: what somebody wrote to it since is no version of a server's.
struct NotedVersion: Hashable {
    private let lines: [String]

    private static let attribute = "user.transferd.version"
    /// Longer than two header fields that anybody compares.
    private static let longest = 8192

    /// What would be noted with a file of that status.
    init(_ version: Checkpoint.Validator, of address: TransferURL, _ status: stat) {
        lines = Self.head(address, status) + [version.entityTag ?? "", version.lastModified ?? ""]
    }

    private init?(_ file: OpenFile) {
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        let count = fgetxattr(file.descriptor, Self.attribute, &bytes, bytes.count)
        guard count > 0 else { return nil }
        lines = String(decoding: bytes[..<count], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func write(to file: OpenFile) {
        let bytes = Array(lines.joined(separator: "\n").utf8)
        guard bytes.count <= Self.longest else { return }
        _ = fsetxattr(file.descriptor, Self.attribute, bytes, bytes.count, 0)
    }

    /// What was noted with the file when it came from `address`; nil where that is not known, or the file has changed.
    static func read(from file: OpenFile, of address: TransferURL, _ status: stat) -> Checkpoint.Validator? {
        guard let noted = NotedVersion(file), noted.lines.count == 5 else { return nil }
        guard Array(noted.lines[..<3]) == head(address, status) else { return nil }
        let fields = noted.lines[3...].map { $0.isEmpty ? nil : $0 }
        return Checkpoint.Validator(
            entityTag: fields[0], lastModified: fields[1], total: ByteCount(rawValue: Int64(status.st_size)))
    }

    /// The address may hold a signature, and whoever can read the file can read this: a digest is as good.
    private static func head(_ address: TransferURL, _ status: stat) -> [String] {
        var digest = Digest()
        Array(address.text.utf8).withUnsafeBytes { digest.update($0) }
        return [digest.finish(), "\(status.st_size)", "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"]
    }
}
