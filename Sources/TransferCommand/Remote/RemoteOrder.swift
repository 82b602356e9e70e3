internal import TransferModel

/// What `transferctl remote` is to do, as far as no file, clock or table is needed to know it.
enum RemoteOrder: Hashable, Sendable {
    case ask(RemoteAsking)
    /// Prints and removes the result of a job that waited like any other.
    case result(JobID, ResultView)

    /// Whether more than the table is needed for it.
    var needsConfiguration: Bool {
        switch self {
        case .ask: true
        case .result: false
        }
    }
}

/// One operation at a server.
struct RemoteAsking: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        case url(TransferURL)
        /// The address and the settings of a route.
        case route(String)
    }

    var operation: RemoteOperation
    var place: Place
    /// Whether it waits like any job, and its number is all that is printed.
    var isQueued = false
    var view = ResultView()
}

/// How a result is shown.
struct ResultView: Hashable, Sendable {
    var json = false
    var isLong = false
    /// `get`: where the content goes; nil: standard output.
    var output: FilePath?
}
