internal import CCurl
internal import Glibc

/// What a server said while a body was still on its way to it, and before the connection broke: libcurl gives a connection
/// up on which it could not send, with the server's reasons unread.
enum LastWords {
    private static let longest = 16_384
    /// How long a reply may be behind the data connection that was broken, in milliseconds.
    private static let patience: Int32 = 200

    /// All that is there, without taking it for longer than ``patience``; nothing where the connection was shut down by us.
    static func read(from socket: Int32) -> [UInt8] {
        var words: [UInt8] = []
        var wait = patience
        while words.count < longest, isReadable(socket, within: wait) {
            let part = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
                count = max(0, recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
            }
            guard !part.isEmpty else { break }
            words += part
            wait = 0
        }
        return words
    }

    private static func isReadable(_ socket: Int32, within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }
}
