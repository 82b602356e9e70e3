/// A request that a scripted SFTP server got.
public struct SFTPRequest: Sendable {
    public enum Kind: UInt8, Sendable {
        case open = 3
        case close, read, write
        case linkStatus, handleStatus, setStatus, setHandleStatus
        case openDirectory, readDirectory, remove, makeDirectory, removeDirectory
        case realPath, status, rename
        case extended = 200
    }

    public let kind: Kind
    /// The first path, or that of the handle; for an extension its name.
    public let path: String
    /// The place among the requests of its kind over all connections, from 0.
    public let number: Int
}

/// What a scripted SFTP server does with a request.
public enum SFTPBehaviour: Sendable {
    case right
    /// Answers with that status and does nothing.
    case refuses(code: UInt32, text: String)
    /// Does it and answers with that status.
    case doesAndSays(code: UInt32, text: String)
    /// Tells that size instead.
    case tells(size: UInt64)
    /// Writes or sends half of the bytes and says that all is well.
    case halves
    /// Answers nothing.
    case silent
    /// Does nothing and ends the connection.
    case disconnects
    /// Does it and ends the connection.
    case doesAndDisconnects
}
