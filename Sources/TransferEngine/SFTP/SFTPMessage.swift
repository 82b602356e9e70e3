/// The kinds of packets of SFTP version 3. Source: draft-ietf-secsh-filexfer-02, section 3.
enum SFTPMessage: UInt8 {
    case initialize = 1
    case version = 2
    case open = 3
    case close = 4
    case read = 5
    case write = 6
    case linkStatus = 7
    case handleStatus = 8
    case setStatus = 9
    case setHandleStatus = 10
    case openDirectory = 11
    case readDirectory = 12
    case remove = 13
    case makeDirectory = 14
    case removeDirectory = 15
    case realPath = 16
    case status = 17
    case rename = 18
    case readLink = 19
    case symbolicLink = 20
    case statusReply = 101
    case handle = 102
    case data = 103
    case names = 104
    case attributes = 105
    case extended = 200
    case extendedReply = 201
}

/// How a file is opened. Source: draft-ietf-secsh-filexfer-02, section 6.3.
struct SFTPOpenFlags: OptionSet {
    let rawValue: UInt32

    static let read = Self(rawValue: 1)
    static let write = Self(rawValue: 2)
    static let create = Self(rawValue: 8)
    static let truncate = Self(rawValue: 16)
    static let exclusive = Self(rawValue: 32)
}
