/// What one job wishes beside what it is to do.
public struct JobWishes: Hashable, Sendable {
    public var delivery = DeliveryWishes()
    public var request = RequestWishes()
    public var fetch = FetchWishes()

    public init() {}
}
