internal import TransferModel

/// What the settings of an origin mean to a lane, looked up with each request.
struct LaneTerms {
    let stallTimeout: Duration
    let connectTimeout: Duration
    let isSecuredFTP: Bool
    /// Whether commands can go over the control connection as they are: FTP without TLS and proxy.
    let isPlain: Bool
    /// Whether data connections are what the lane can make itself.
    let storesItself: Bool

    init(_ scheme: Scheme, _ settings: OriginSettings) {
        stallTimeout = settings.stallTimeout
        connectTimeout = settings.connectTimeout
        isSecuredFTP = scheme == .ftps || scheme == .ftp && settings.tls == .require
        isPlain = scheme == .ftp && settings.tls == .off && settings.path.proxy == nil
        storesItself =
            isPlain && settings.data.mode == .passive && settings.data.extended
            && settings.path.sourceAddress == nil
    }
}
