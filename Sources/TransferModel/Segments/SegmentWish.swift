/// Over how many connections at a time one file is fetched, where its server lets parts of it be fetched.
public enum SegmentWish: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Several for a large file that comes slowly, as many as its server's lanes, else one.
    case auto
    /// At most so many, of any file that is large enough to be worth a second request.
    case most(Int)
    case off

    /// The most connections that `auto` uses: more gained nothing on any path that was tried.
    public static let mostByItself = 8
    /// The smallest rest of a file that `auto` fetches in segments.
    public static let smallestByItself: Int64 = 64 << 20

    /// nil for anything but `auto`, `off` and a number from 1 to 64.
    public init?(_ text: String) {
        switch text {
        case "auto": self = .auto
        case "off": self = .off
        default:
            guard let number = Int(text), (1...64).contains(number) else { return nil }
            self = number == 1 ? .off : .most(number)
        }
    }

    public var description: String {
        switch self {
        case .auto: "auto"
        case .most(let number): "\(number)"
        case .off: "off"
        }
    }

    /// A connection that brings as many bytes a second is left alone by `auto`: this machine would be no faster with
    /// several. (2 GiB over loopback: 3.3 s over one, 7 to 10 s over eight, where two processors had all the work.)
    static let fastEnough: Int64 = 64 << 20

    /// Whether `auto` has others help a connection that brought `came` bytes in a second and has `rest` to bring.
    public static func needsHelp(came: Int64, rest: Int64) -> Bool {
        rest >= smallestByItself && came < fastEnough
    }

    /// Whether `auto` has others help at once on a path of this round trip: what one connection may have under way is the
    /// limit there, and finding that out would take a second.
    public static func needsHelp(roundTrip: Duration, rest: Int64) -> Bool {
        rest >= smallestByItself && roundTrip >= .milliseconds(20)
    }

    /// How `count` connections are spread over servers of which each allows so many: in turn, the first server first.
    public static func spread(_ count: Int, over lanes: [Int]) -> [Int] {
        var spread = lanes.map { _ in 0 }
        var rest = count
        while rest > 0, zip(spread, lanes).contains(where: { $0 < $1 }) {
            for index in lanes.indices where rest > 0 && spread[index] < lanes[index] {
                spread[index] += 1
                rest -= 1
            }
        }
        return spread
    }

    /// How many connections to use for `rest` bytes that are still to come.
    public func connections(for rest: Int64) -> Int {
        let worth = Int(clamping: max(1, rest / SegmentPlan.smallest))
        switch self {
        case .auto: return rest < Self.smallestByItself ? 1 : min(Self.mostByItself, worth)
        case .most(let number): return min(number, worth)
        case .off: return 1
        }
    }
}
