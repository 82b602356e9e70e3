/// Requests that are under way, the oldest first, with the bytes that each moves.
struct SFTPWindow {
    private(set) var requests: ArraySlice<(id: UInt32, count: Int)> = []
    private(set) var bytes = 0

    /// What may be under way at once: what OpenSSH's window for a channel holds, and enough for 40 MB/s over 50 ms.
    static let largest = 2_097_152

    var isEmpty: Bool { requests.isEmpty }
    var oldest: UInt32? { requests.first?.id }

    func hasRoom(for count: Int) -> Bool { bytes + count <= Self.largest && requests.count < 256 }

    mutating func add(_ id: UInt32, _ count: Int) {
        requests.append((id, count))
        bytes += count
    }

    /// Takes the place of the oldest.
    mutating func addOldest(_ id: UInt32, _ count: Int) {
        requests.insert((id, count), at: requests.startIndex)
        bytes += count
    }

    mutating func removeOldest() {
        bytes -= requests.removeFirst().count
    }
}
