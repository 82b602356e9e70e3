import TransferModel

/// Names by the time they are due, the earliest first, equal times in the order they came: a binary heap.
struct DueQueue: Sendable {
    private struct Item: Sendable {
        let time: MonotonicTime
        let order: UInt64
        let name: FileName

        static func precedes(_ left: Item, _ right: Item) -> Bool {
            left.time == right.time ? left.order < right.order : left.time < right.time
        }
    }

    private var items: [Item] = []
    private var pushed: UInt64 = 0

    var first: MonotonicTime? { items.first?.time }

    mutating func push(_ name: FileName, at time: MonotonicTime) {
        items.append(Item(time: time, order: pushed, name: name))
        pushed += 1
        var child = items.count - 1
        while child > 0, Item.precedes(items[child], items[(child - 1) / 2]) {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes out the earliest name if it is due by `now`.
    mutating func pop(until now: MonotonicTime) -> (MonotonicTime, FileName)? {
        guard let first = items.first, first.time <= now else { return nil }
        let last = items.removeLast()
        if !items.isEmpty {
            items[0] = last
            sink()
        }
        return (first.time, first.name)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < items.count {
                if Item.precedes(items[child], items[least]) { least = child }
            }
            if least == parent { return }
            items.swapAt(parent, least)
            parent = least
        }
    }
}
