internal import CCurl
internal import Glibc

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
    /// That its other connection has one of these of libcurl's CURL_POLL_ bits; or a reply.
    case data(Int32, Int32)
    /// This machine: whoever is waited for calls ``Lane/resume()``.
    case resumption
}

extension Dialogue {
    /// Waits for what it waits for, where that is the server, so many milliseconds at most; whether it came.
    func wait(for milliseconds: Int32) -> Bool {
        var data = pollfd(fd: -1, events: 0, revents: 0)
        switch awaits {
        case .reply: break
        case .data(let socket, let what):
            let events = (what & CURL_POLL_IN != 0 ? POLLIN : 0) | (what & CURL_POLL_OUT != 0 ? POLLOUT : 0)
            data = pollfd(fd: socket, events: Int16(events), revents: 0)
        case .resumption: return false
        }
        return withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { both in
            both[0] = pollfd(fd: control.socket, events: Int16(POLLIN), revents: 0)
            both[1] = data
            guard poll(both.baseAddress, 2, milliseconds) > 0 else { return false }
            if both[0].revents != 0 { control.isAwaiting = false }
            return true
        }
    }
}

/// How a dialogue ended.
enum DialogueEnd {
    case code(CURLcode)
    /// Nothing came of it that matters: libcurl is to do it in its own way.
    case needsLibrary
}
