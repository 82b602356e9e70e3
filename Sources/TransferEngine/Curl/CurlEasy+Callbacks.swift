internal import CCurl

extension CurlEasy {
    /// `transfer` has to outlive the transfer, `control` every connection.
    func setCallbacks(transfer: Transfer, control: LaneControl) throws(CurlError) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try check(transferd_easy_set_data_function(handle, CURLOPT_READFUNCTION, CurlCallbacks.read))
        try check(transferd_easy_set_pointer(handle, CURLOPT_READDATA, context))
        try check(transferd_easy_set_data_function(handle, CURLOPT_WRITEFUNCTION, CurlCallbacks.write))
        try check(transferd_easy_set_pointer(handle, CURLOPT_WRITEDATA, context))
        try check(transferd_easy_set_data_function(handle, CURLOPT_HEADERFUNCTION, CurlCallbacks.line))
        try check(transferd_easy_set_pointer(handle, CURLOPT_HEADERDATA, context))
        try check(transferd_easy_set_seek_function(handle, CurlCallbacks.seek))
        try check(transferd_easy_set_pointer(handle, CURLOPT_SEEKDATA, context))
        if transfer.request.takesList {
            try set(.verbose, true)
            try check(transferd_easy_set_debug_function(handle, CurlCallbacks.raw))
            try check(transferd_easy_set_pointer(handle, CURLOPT_DEBUGDATA, context))
        }
        if transfer.request.onAsk != nil {
            try check(transferd_easy_set_request_function(handle, CurlCallbacks.request))
            try check(transferd_easy_set_pointer(handle, CURLOPT_PREREQDATA, context))
        }
        let sockets = Unmanaged.passUnretained(control).toOpaque()
        try check(transferd_easy_set_open_function(handle, CurlCallbacks.open))
        try check(transferd_easy_set_pointer(handle, CURLOPT_OPENSOCKETDATA, sockets))
        try check(transferd_easy_set_close_function(handle, CurlCallbacks.close))
        try check(transferd_easy_set_pointer(handle, CURLOPT_CLOSESOCKETDATA, sockets))
    }
}
