internal import CLinux
internal import Glibc
internal import TransferModel

extension Lane {
    /// A connection to the lane's server without any protocol on it yet: made by libcurl, as for all other schemes, with
    /// its timeouts, its proxies and its addresses.
    func connectSocket() async throws -> KeptSocket {
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        // The scheme is one of which libcurl sends nothing before it is asked to.
        var request = Request(url: "http://\(host):\(origin.port)/")
        request.set(.protocols, "http")
        request.set(.connectOnly, true)
        request.keepsSocket = true
        request.mayRepeat = false
        let answer = try await perform(request)
        guard let socket = answer.socket else { throw Failure(answer, doing: "connecting to \(origin)") }
        return socket
    }

    /// Lets others have the lane's queue for a moment.
    func giveWay() async {
        await withCheckedContinuation { continuation in onQueue { _ in continuation.resume() } }
    }
}
