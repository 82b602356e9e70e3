/// What a later attempt needs to know to go on where an earlier one stopped. Stored as JSON in the job table.
public struct Checkpoint: Hashable, Codable, Sendable {
    /// Upload: the source as the first attempt found it. A source that differs starts again from nothing.
    public var source: FileIdentity?
    /// Upload: the path at the server that the file is sent to; its temporary one, or the final one when there is none.
    /// What stands there was written by this job.
    public var remoteTemporary: FilePath?
    /// Upload: true when that is the final one.
    public var isDirect: Bool?
    /// Upload: 2 from the first retry on that a person asked for after the job had ended, then 3 …; nil before.
    ///
    /// What an ended job left is removed by others, at a time of theirs: the temporary file that comes after it has
    /// another name, so that it is never theirs to remove.
    public var life: Int?
    /// Upload: the final name where it is not the address's, which was taken. Download: where it is not the target's.
    public var chosenName: FileName?
    /// Upload: the size that was compared before the rename was asked for.
    public var verified: ByteCount?
    /// Upload: true when the file stands under its final name and only what follows that is left.
    public var isInPlace: Bool?
    /// Upload, download: what was proven so far, as the job's digest says it.
    public var proof: String?
    /// True for a job that is done although nothing was moved: the name was taken, or the file here is the same.
    public var isLeftOut: Bool?
    /// Download: our own temporary file beside the target.
    public var localTemporary: LocalTemporary?
    /// Download: which version of the remote file the temporary file holds.
    public var validator: Validator?
    /// Download: which of its further addresses the temporary file's bytes came from, from 0 on; nil: its own one.
    public var mirror: Int?
    /// Download: true when what several addresses had brought together was not the file: it comes from one at a time.
    public var distrustsMirrors: Bool?

    public init() {}

    /// Upload: nothing is begun; only which life it is stays.
    public var begunAnew: Checkpoint {
        var fresh = Checkpoint()
        fresh.life = life
        return fresh
    }

    /// Whether an earlier attempt left anything to go on with, or to clear away.
    public var hasBegun: Bool { self != begunAnew }

    /// Upload: what stands at the server and would stay there if nobody went on with it. A file under its final name
    /// stays: another job may be sending to that name already.
    public var remains: FilePath? { isInPlace == true || isDirect == true ? nil : remoteTemporary }

    /// A temporary file that only its creator may go on with.
    public struct LocalTemporary: Hashable, Codable, Sendable {
        public let name: FileName
        public let device: UInt64
        public let inode: UInt64

        public init(name: FileName, device: UInt64, inode: UInt64) {
            self.name = name
            self.device = device
            self.inode = inode
        }
    }

    /// What tells one version of a remote file from another (RFC 9110, section 8.8; RFC 3659, section 3).
    public struct Validator: Hashable, Codable, Sendable {
        /// As it stood in the header, quotes included.
        public var entityTag: String?
        /// Last-Modified, or the reply to MDTM, as it stood.
        public var lastModified: String?
        /// The Date of the answer that carried `lastModified`.
        public var date: String?
        public var total: ByteCount?
        /// What the server says the whole file's checksums are (RFC 9530).
        public var checksums: [Checksum]?

        public init(
            entityTag: String? = nil, lastModified: String? = nil, date: String? = nil,
            total: ByteCount? = nil, checksums: [Checksum] = []
        ) {
            self.checksums = checksums.isEmpty ? nil : checksums
            self.entityTag = entityTag
            self.lastModified = lastModified
            self.date = date
            self.total = total
        }
    }
}
