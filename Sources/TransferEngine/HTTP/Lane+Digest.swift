internal import TransferModel

/// The Digest login of a lane's connection: a challenge is answered by many requests, one after the other.
extension Lane {
    func take(_ challenge: DigestChallenge) {
        digest = DigestLogin(challenge)
        isOldDigest = false
    }

    /// The field's value for the next request; nil before the server has told how to log in.
    func digestField(_ credentials: Credentials, method: String, url: TransferURL) -> String? {
        let chance = FormBoundary.random().text
        return digest?.authorization(credentials, method: method, target: url.requestTarget, chance: chance)
    }
}
