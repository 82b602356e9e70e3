internal import TransferModel

/// What a server says of itself, for the person who has to configure it.
struct ServerDescription: Hashable, Sendable {
    /// In the order in which they are to be read.
    var facts: [Fact] = []
    /// The certificate that the server showed, as PEM; only where it is not trusted.
    var certificate: String?
    /// Whole sentences: what to put into the configuration.
    var advice: [String] = []
    /// Why it got no further than what the facts say; nil: logged in.
    var failure: Failure?

    /// One thing that is known, such as `host key`: `ssh-ed25519 SHA256:…`. Both are safe on a terminal.
    struct Fact: Hashable, Sendable {
        let topic: String
        let text: String
    }

    mutating func add(_ topic: String, _ text: String) { facts.append(Fact(topic: topic, text: text)) }
}
