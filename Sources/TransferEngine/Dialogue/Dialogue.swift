internal import CCurl

/// What a lane says over FTP connections itself, while libcurl, which keeps the control connection, does not use it
/// (RFC 959, section 5.4).
///
/// libcurl could do it, but making a request ready costs as much as three commands, and each small file needs two. What
/// comes of it is the same, with libcurl's codes for what goes wrong. Used on the lane's queue; never blocks.
protocol Dialogue: AnyObject {
    var control: ControlChannel { get }

    /// Says the first thing; the result when it is over already.
    func begin() -> DialogueEnd?

    /// Goes on with what came or has become possible; the result when it is over.
    func proceed() -> DialogueEnd?

    /// What it waits for.
    var awaits: DialogueWait { get }

    /// What it comes to when its time has run out; nil: it has more.
    var lateness: DialogueEnd? { get }

    /// Lets go of what is its own.
    func close()
}

/// What a dialogue waits for.
enum DialogueWait {
    /// A reply.
    case reply
    /// That its other connection stands, or takes more; or a reply.
    case room(Int32)
    /// This machine: whoever is waited for calls ``Lane/resume()``.
    case resumption
}

/// How a dialogue ended.
enum DialogueEnd {
    case code(CURLcode)
    /// Nothing came of it that matters: libcurl is to do it in its own way.
    case needsLibrary
}
