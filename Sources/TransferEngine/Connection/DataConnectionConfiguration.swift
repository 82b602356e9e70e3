internal import CCurl
internal import TransferModel

/// How FTP's data connections are made.
struct DataConnectionConfiguration {
    let settings: OriginSettings
    /// Whether EPSV or EPRT is tried first. Over IPv6 libcurl does so in any case: PASV and PORT cannot say such addresses.
    let isExtended: Bool

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
