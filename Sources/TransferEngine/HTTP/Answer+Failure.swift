internal import TransferModel

extension Answer {
    /// What went wrong with the exchange itself, whatever the server answered; nil when it ended as its protocol says.
    func failure(doing: @autoclosure () -> String) -> Failure? {
        error == nil || hasEnough ? nil : Failure(self, doing: doing())
    }

    /// Whether a connection that was kept from an earlier request broke under this one, by nobody's wish.
    var brokeKeptConnection: Bool {
        error != nil && !isFresh && !hasStalled && !wasRefused && bodyFailure == nil
    }
}
