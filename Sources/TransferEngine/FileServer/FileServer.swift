internal import TransferModel

/// What transferd asks of a file server, whatever protocol it speaks: FTP and SFTP each answer in their own way.
///
/// A value made for one attempt. Every call is carried out over the lane it is given, one at a time, and throws a
/// ``Failure`` that says what it means to the job, or the ``Stop`` of the lane. What a server cannot do is an answer and
/// no failure.
protocol FileServer {
    /// `limit` bounds each request as a whole; nil: only silence is bounded.
    init(_ assignment: Assignment, limit: Duration?)

    /// What sizes are learned by, as a sentence names it: `SIZE`, `stat`.
    var sizeSource: String { get }

    /// Whether every piece of a body is written where its offset says. A body that was cut may then have holes, but can
    /// be gone on with anywhere; else what stands is its beginning, and it goes on at the end.
    var writesByOffset: Bool { get }

    /// How many bytes at the end of a body that was cut may be missing or wrong although they stand there: nobody has
    /// confirmed them.
    var uncertainTail: Int64 { get }

    /// Whether what stands under a name stays whole until the new file takes its place whole. Then a size says nothing
    /// of who wrote it, and what a failed upload leaves under a final name is not its own.
    var storesAtomically: Bool { get }

    /// How many names are worth asking for at once, where the first free one is looked for.
    var namesAtOnce: Int { get }

    /// What stands at `paths`, in their order; in as few round trips as the protocol has it.
    func find(_ paths: [RemotePath], on lane: isolated Lane) async throws -> [RemoteFile]

    /// Sends a body and waits for the server's word that it has it.
    func store(_ parcel: Parcel, on lane: isolated Lane) async throws -> Stored

    /// Compares the size of `move.from` and gives it its new name only if that is right.
    func move(_ move: RemoteMove, on lane: isolated Lane) async throws -> Moved

    /// The same; before anything is changed `licence` is waited for.
    func move(_ move: RemoteMove, licence: Licence, on lane: isolated Lane) async throws -> Moved

    /// Removes a file; false when there is none.
    func remove(_ path: RemotePath, on lane: isolated Lane) async throws -> Bool

    /// Makes directories, the upper ones first. One that is there already is as good, whoever made it.
    ///
    /// Returns what the server said against the last one: it may be there all the same.
    @discardableResult
    func makeDirectories(_ paths: [RemotePath], on lane: isolated Lane) async throws -> Failure?

    func removeDirectory(_ path: RemotePath, on lane: isolated Lane) async throws

    /// When the file was modified last, as the server's lists say it; nil where it does not tell.
    func modified(of path: RemotePath, on lane: isolated Lane) async throws -> Timestamp?

    /// Sets the modification time; the command that did it, or nil when the server has none that works.
    func setModified(_ time: Timestamp, of path: RemotePath, on lane: isolated Lane) async throws -> String?

    /// Sets permission bits; the command that did it, or nil when the server has none that works.
    func setPermissions(_ permissions: Permissions, of path: RemotePath, on lane: isolated Lane) async throws
        -> String?

    /// The strongest checksum that the server offers, to be computed here meanwhile; nil when it offers none.
    func checksumAlgorithm(on lane: isolated Lane) async throws -> ChecksumAlgorithm?

    /// The strongest checksum of the file that the server computes; nil when it computes none.
    func checksum(of path: RemotePath, on lane: isolated Lane) async throws -> RemoteChecksum?

    /// The bytes of a range, at most 64 KiB, fewer where the file ends before; nil when the server does not let them be
    /// read.
    func read(_ range: Range<Int64>, of path: RemotePath, on lane: isolated Lane) async throws -> [UInt8]?

    /// Leads the bytes of a file into `sink`, and returns when the last of them was given to it.
    ///
    /// Throws where there is no such file, where the server cuts it, and what the sink fails with.
    func fetch(_ path: RemotePath, into sink: any BodySink, on lane: isolated Lane) async throws

    /// What a directory holds. An empty one is empty; a list that was cut is a failure.
    func list(_ path: RemotePath, on lane: isolated Lane) async throws -> RemoteListing

    /// Sends commands of the server's own, one after the other; a refusal ends them and is the last reply. Of a command
    /// that begins with `*` the rest is sent, and its refusal ends nothing.
    func quote(_ commands: [[UInt8]], on lane: isolated Lane) async throws -> [RemoteReply]

    /// Connects anew and logs in, and tells what was learned on the way; a server that cannot be used is described as
    /// far as it was seen, with the failure. Nothing is written.
    func describe(on lane: isolated Lane) async throws(Stop) -> ServerDescription
}

extension FileServer {
    var uncertainTail: Int64 { 0 }
    var storesAtomically: Bool { false }
    var namesAtOnce: Int { 8 }

    func move(_ move: RemoteMove, licence: Licence, on lane: isolated Lane) async throws -> Moved {
        try await lane.wait(for: licence)
        return try await self.move(move, on: lane)
    }
}

/// What stands at a path of a server.
enum RemoteFile: Hashable, Sendable {
    /// A file of so many bytes.
    case size(Int64)
    /// Something of which no size is told: a directory, or a file that may not be read.
    case present
    /// Nothing, or nothing that is ours to see.
    case absent
    /// The server does not tell.
    case unknown
}

/// What is to be stored, and where.
struct Parcel {
    enum Opening {
        /// From the first byte on; what stands there goes.
        case create
        /// The body is added to what stands there, which ends at this offset.
        case append(at: Int64)
        /// The body begins at this offset, and what stands before it stays.
        case restart(at: Int64)

        var offset: Int64 {
            switch self {
            case .create: 0
            case .append(let offset), .restart(let offset): offset
            }
        }
    }

    let path: RemotePath
    let opening: Opening
    /// What is being done, as a failure says it: "uploading to ADDRESS".
    let doing: String
    /// Sent before, over the same connection, as ``FileServer/quote(_:on:)`` does; a refusal is thrown.
    var commands: [[UInt8]] = []
    /// Bytes of the body, exactly.
    let length: Int64
    let body: any StreamedBody
    var type = TransferType.image
    /// Whether what stands at `path` gives way; if not, and something does, the body is refused, by servers that can tell
    /// in the same step.
    var replaces = true
    /// The source's modification time, for servers that take it along with the body; nil: they are to set their own.
    var modified: Timestamp?
    /// Whether the body can be given once more from its beginning, should a kept connection turn out to be dead before
    /// a byte of it was taken.
    var mayRepeat = true
}

/// How a server took a body.
enum Stored {
    /// All was handed over and the server says that it has it.
    case whole
    /// All was handed over, and the connection was lost before the server said so: its size tells.
    case unconfirmed(Failure)
    /// Nothing was stored: nothing may be stored there, or not in this way.
    case refused(Failure, mayLackDirectory: Bool)
    /// Something stands there, and was not to be replaced.
    case taken
    /// The same body is to be stored once more, from its beginning; `mayHaveArrived`: it may be there already.
    case again(mayHaveArrived: Bool)
}

/// A file's way to its final name.
struct RemoteMove {
    let from: RemotePath
    let to: RemotePath
    /// What `from` has to have; nil: not compared, since its size says nothing.
    let size: Int64?
    /// Whether what stands at `to` gives way; if not, and something does, the move is refused.
    let replaces: Bool
}

enum Moved {
    /// `isVerified` false: the server does not tell sizes.
    case done(isVerified: Bool)
    case wrongSize(RemoteFile)
    /// Something stands at the new name, and was not to be replaced.
    case taken
    /// The server does not give the file that name.
    case refused(Failure)
    /// The reply was lost: nobody knows.
    case lost(Failure)
}

/// A checksum that a server computed.
struct RemoteChecksum: Hashable, Sendable {
    let algorithm: ChecksumAlgorithm
    /// In lower case.
    let hexadecimal: String
    /// The command that it was asked with.
    let command: String
}

/// A reply to a command.
struct RemoteReply: Hashable, Sendable {
    /// FTP: the reply code; SFTP: the status of the draft, 0 for success.
    let code: Int
    let text: [UInt8]
    let isRefusal: Bool
}

/// What a directory holds, and what of its list nobody could read.
struct RemoteListing: Hashable, Sendable {
    var entries: [RemoteEntry] = []
    /// Lines that follow no known form, as they came.
    var unreadable: [[UInt8]] = []
}

/// One name in a directory.
struct RemoteEntry: Hashable, Sendable {
    enum Kind: String, Codable, Sendable {
        case file, directory, link, other
    }

    let name: [UInt8]
    var kind: Kind
    var size: Int64?
    /// As exactly as the server says; a list without a year means the latest such day.
    var modified: Timestamp?
    var permissions: Permissions?
    var owner: [UInt8]?
    var group: [UInt8]?
    /// Where a symbolic link leads, where the list says so.
    var target: [UInt8]?
}
