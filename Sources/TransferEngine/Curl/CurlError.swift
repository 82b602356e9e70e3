internal import CCurl

/// What libcurl said: its result code and the text of its error buffer.
struct CurlError: Error, Hashable, CustomStringConvertible {
    let code: UInt32
    /// As libcurl wrote it; holds bytes that the server chose.
    let text: [UInt8]

    init(_ code: CURLcode, text: [UInt8] = []) {
        self.code = code.rawValue
        self.text = text.isEmpty ? Array(String(cString: curl_easy_strerror(code)).utf8) : text
    }

    /// What it says to a person, where libcurl's own words tell nobody what happened: it wanted to give a body once more,
    /// since the connection had been kept and was closed; or a reply did not come, with an error number of some earlier
    /// call.
    var words: [UInt8] {
        let isClosed =
            code == CURLE_SEND_FAIL_REWIND.rawValue || text.starts(with: "response reading failed".utf8)
        return isClosed ? Array("the server closed the connection".utf8) : text
    }

    static func == (error: CurlError, code: CURLcode) -> Bool { error.code == code.rawValue }

    var description: String { String(decoding: text, as: UTF8.self) }
}
