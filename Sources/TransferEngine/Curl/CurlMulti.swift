internal import CCurl

/// One multi handle: drives one easy handle and keeps one connection. Used on one queue.
struct CurlMulti: ~Copyable {
    let handle: UnsafeMutableRawPointer
    /// What the callbacks of open connections point to: they are called until the handle is gone.
    private let context: AnyObject

    init(context: AnyObject) {
        CurlGlobal.require()
        guard let handle = curl_multi_init() else { preconditionFailure("memory for a multi handle") }
        self.handle = handle
        self.context = context
        transferd_multi_set_long(handle, CURLMOPT_MAXCONNECTS, 1)
    }

    /// Closes the connection. An FTP server is told QUIT and waited for unless its socket was shut down before.
    deinit { curl_multi_cleanup(handle) }

    func add(_ easy: borrowing CurlEasy) -> CURLMcode { curl_multi_add_handle(handle, easy.handle) }

    func remove(_ easy: borrowing CurlEasy) { curl_multi_remove_handle(handle, easy.handle) }

    func act(on socket: Int32, events: Int32) -> CURLMcode {
        var running: Int32 = 0
        return curl_multi_socket_action(handle, socket, events, &running)
    }

    /// The result of the transfer when it has ended.
    func result() -> CURLcode? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(handle, &left) {
            if message.pointee.msg == CURLMSG_DONE { return transferd_message_result(message) }
        }
        return nil
    }
}
