internal import TransferModel

/// What the settings of an origin mean to a lane, looked up with each request.
struct LaneTerms {
    let stallTimeout: Duration
    let connectTimeout: Duration
    let isSecuredFTP: Bool
    /// Whether the lane can speak over the control connection itself: FTP without a proxy.
    let speaksItself: Bool
    /// Whether the lane can read a body's rest itself: nothing stands between what libcurl has and the server.
    let readsItself: Bool
    /// Whether data connections are what the lane can make itself.
    let storesItself: Bool

    init(_ scheme: Scheme, _ settings: OriginSettings) {
        stallTimeout = settings.stallTimeout
        connectTimeout = settings.connectTimeout
        isSecuredFTP = scheme == .ftps || scheme == .ftp && settings.tls == .require
        speaksItself = (scheme == .ftp || scheme == .ftps) && settings.path.proxy == nil
        readsItself = settings.path.proxy == nil && (scheme.isWeb || scheme == .ftp && !isSecuredFTP)
        storesItself =
            speaksItself && settings.data.mode == .passive && settings.data.extended
            && settings.path.sourceAddress == nil
    }
}
