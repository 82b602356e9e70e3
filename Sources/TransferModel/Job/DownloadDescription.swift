/// One file from the job's `url` to a directory here.
public struct DownloadDescription: Hashable, Codable, Sendable {
    /// A directory of `download_dirs`; the target never leaves it.
    public var directory: FilePath
    /// The file's path below `directory`; missing directories are made.
    public var target: FilePath
    /// All of them have to be right; nil: none was given.
    public var checksums: [Checksum]?
    /// A list of checksums at a server, in which the file's own has to stand and be right.
    public var checksumList: TransferURL?
    /// Further addresses of the same file, tried in their order when the job's own one fails.
    public var mirrors: [TransferURL]?
    /// How it is put into place, where its origin is not to say so: what becomes of an older file, time, permissions.
    public var delivery: DeliveryWishes?
    /// From a web server: how its requests are made, where its origin is not to say so.
    public var request: RequestWishes?
    /// How it is fetched, where its route or origin is not to say so.
    public var fetch: FetchWishes?
    /// The version that a poll of its route found; nil: no route looked for it.
    public var listed: FileVersion?

    public init(
        directory: FilePath, target: FilePath, checksums: [Checksum] = [], checksumList: TransferURL? = nil,
        mirrors: [TransferURL] = [], delivery: DeliveryWishes? = nil, request: RequestWishes? = nil,
        fetch: FetchWishes? = nil
    ) {
        self.directory = directory
        self.target = target
        self.checksums = checksums.isEmpty ? nil : checksums
        self.checksumList = checksumList
        self.mirrors = mirrors.isEmpty ? nil : mirrors
        self.delivery = delivery
        self.request = request
        self.fetch = fetch
    }

    /// Whether anything but the server itself tells what the file has to be.
    public var hasChecksum: Bool { checksums != nil || checksumList != nil }

    /// Rows of older tables have one checksum at most, under another key.
    private enum OldKeys: String, CodingKey { case checksum }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        directory = try container.decode(FilePath.self, forKey: .directory)
        target = try container.decode(FilePath.self, forKey: .target)
        let old = try decoder.container(keyedBy: OldKeys.self).decodeIfPresent(
            Checksum.self, forKey: .checksum)
        checksums =
            try container.decodeIfPresent([Checksum].self, forKey: .checksums) ?? old.map { [$0] }
        checksumList = try container.decodeIfPresent(TransferURL.self, forKey: .checksumList)
        mirrors = try container.decodeIfPresent([TransferURL].self, forKey: .mirrors)
        delivery = try container.decodeIfPresent(DeliveryWishes.self, forKey: .delivery)
        request = try container.decodeIfPresent(RequestWishes.self, forKey: .request)
        fetch = try container.decodeIfPresent(FetchWishes.self, forKey: .fetch)
        listed = try container.decodeIfPresent(FileVersion.self, forKey: .listed)
    }
}
