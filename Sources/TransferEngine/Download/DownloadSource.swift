public import TransferModel

/// A further address of a download's file, and how its server is spoken to.
public struct DownloadSource: Sendable {
    public let url: TransferURL
    public let settings: OriginSettings
    public let proxyLogin: Credentials?
    /// What a lane to it has to keep.
    public let rates: Rates

    public init(url: TransferURL, settings: OriginSettings, proxyLogin: Credentials?, rates: Rates) {
        self.url = url
        self.settings = settings
        self.proxyLogin = proxyLogin
        self.rates = rates
    }
}
