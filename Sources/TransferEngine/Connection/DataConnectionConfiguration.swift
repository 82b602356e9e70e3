internal import CCurl
internal import TransferModel

/// How FTP's data connections are made.
struct DataConnectionConfiguration {
    let settings: OriginSettings
    /// Whether EPSV or EPRT is tried first. Over IPv6 libcurl does so in any case: PASV and PORT cannot say such addresses.
    let isExtended: Bool

    /// Throws for what libcurl cannot do.
    ///
    /// From 7.87.0 until 8.0.0 it did not secure the data connections that a server opens: they would carry the file in
    /// clear (https://github.com/curl/curl/pull/10669). Through a proxy no server can connect to this machine.
    static func require(_ settings: OriginSettings, isSecured: Bool) throws(Failure) {
        guard settings.data.mode == .active else { return }
        let version = curl_version_info(CURLVERSION_FIRST).pointee
        if isSecured, (0x07_57_00..<0x08_00_00).contains(version.version_num) {
            let name = version.version.map { String(cString: $0) } ?? "here"
            throw Failure(
                .permanent, scope: .login,
                text:
                    "'mode = active' and TLS do not go together: libcurl \(name) would send the data in clear; use "
                    + "'mode = passive', or libcurl 8.0 or newer")
        }
        if let proxy = settings.path.proxy {
            throw Failure(
                .permanent, scope: .login,
                text:
                    "'mode = active' and 'proxy' do not go together: no server can connect to this machine through "
                    + "\(proxy); use 'mode = passive'")
        }
    }

    func apply(to easy: borrowing CurlEasy) throws(CurlError) {
        // Full paths: no CWD, so that one command is one round trip.
        try easy.set(.ftpFileMethod, Int(CURLFTPMETHOD_NOCWD.rawValue))
        switch settings.data.mode {
        case .passive:
            try easy.set(.extendedPassive, isExtended)
            try easy.set(.skipPassiveAddress, settings.data.passiveAddress == .control)
        case .active:
            try easy.set(.extendedActive, isExtended)
            // The hyphen is libcurl's word for the address of the control connection.
            try easy.set(.activeAddress, settings.data.activeAddress ?? "-")
            let patience = max(1, Int(settings.stallTimeout.wholeMilliseconds))
            try easy.set(.acceptTimeoutMilliseconds, patience)
        }
    }
}
