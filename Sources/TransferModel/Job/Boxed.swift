/// A large value that is blank most of the time: it lies apart where it is not, so that what holds it is small to hand on.
///
/// Source: https://github.com/swiftlang/swift/blob/main/docs/OptimizationTips.rst
@propertyWrapper public struct Boxed<Value: Blank & Sendable>: Hashable, Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    public init(_ value: Value) { wrappedValue = value }

    public var wrappedValue: Value {
        get { box?.value ?? .blank }
        set { box = newValue.isBlank ? nil : Box(newValue) }
    }

    public static func == (one: Boxed, other: Boxed) -> Bool {
        one.box === other.box || one.wrappedValue == other.wrappedValue
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// What has a value that says nothing.
public protocol Blank: Hashable {
    static var blank: Self { get }
    var isBlank: Bool { get }
}

extension Optional: Blank where Wrapped: Hashable {
    public static var blank: Wrapped? { nil }
    public var isBlank: Bool { self == nil }
}

extension Checkpoint: Blank {
    public static let blank = Checkpoint()
    public var isBlank: Bool { self == .blank }
}
