/// That less is tried at an origin than its configuration allows, for the person who looks.
public struct OriginTrouble: Hashable, Sendable {
    public enum Effect: Hashable, Sendable {
        /// Nothing is tried until a person acts, since the login was refused.
        case stopped
        /// One job is tried at that time, or is being tried where it has passed; if it succeeds, the others follow.
        case backedOff(until: Timestamp)
        /// It is used with so many connections for some time.
        case limited(lanes: Int)
    }

    public let origin: Origin
    public let effect: Effect
    /// What the last failure said that this comes from.
    public let text: String

    public init(origin: Origin, effect: Effect, text: String) {
        self.origin = origin
        self.effect = effect
        self.text = text
    }
}
