internal import TransferModel

/// What is said of remote operations in words.
enum RemoteWords {
    /// The operation as somebody asked for it, without its address.
    static func order(_ operation: RemoteOperation) -> String {
        let name = operation.name.rawValue
        switch operation {
        case .list, .remove, .removeDirectory, .get, .poll: return name
        case .putAway(let order): return order.moveTo.map { "move to \(Shown.text($0.description)):" } ?? "rm"
        case .removeRemains(let path): return "\(name) of what is left at \(Shown.bytes(path.bytes)):"
        case .rename(let path): return "\(name) to \(Shown.bytes(path.bytes)):"
        case .makeDirectory(let withParents): return withParents ? "\(name) -p" : name
        case .quote(let commands):
            return "\(name) \(commands.map { "'\(Shown.bytes($0.bytes))'" }.joined(separator: " ")):"
        case .check(let writes): return writes ? "\(name) --write" : name
        }
    }
}
