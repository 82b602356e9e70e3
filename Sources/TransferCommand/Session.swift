internal import TransferModel

/// What a command works with: the table, the places, the way out.
struct Session {
    let store: any JobStore
    let places: Places
    /// From creation to giving up, as configured.
    let expires: Duration
    let output: Output
    /// Whether a daemon holds the table's lock.
    let isDaemonRunning: () -> Bool
    /// What the configuration wishes of uploads to an origin.
    var wishes: (Origin) -> DeliveryWishes = { _ in DeliveryWishes() }

    var routes: [RouteSettings] = []

    func line(_ value: JSONValue) { output.line(value.text) }
}
