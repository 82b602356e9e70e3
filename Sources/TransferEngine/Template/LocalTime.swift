internal import CCrypto
internal import Glibc
internal import TransferModel

/// A moment as the clocks on the walls of this machine show it.
struct LocalTime {
    /// Since 1970.
    let seconds: Int64

    /// As strftime(3) writes it; English where the format asks for words.
    func bytes(_ format: TimeFormat) -> [UInt8] {
        // Its initializer may belong to any of the C modules that see <time.h>.
        withUnsafeTemporaryAllocation(of: tm.self, capacity: 1) { parts in
            var time = time_t(seconds)
            guard let parts = localtime_r(&time, parts.baseAddress) else { return Array("\(seconds)".utf8) }
            // The longest conversion, %c, is not among those that a format may have.
            var text = [CChar](repeating: 0, count: format.description.utf8.count * 16 + 64)
            let count = strftime(&text, text.count, format.description, parts)
            return text[..<count].map { UInt8(bitPattern: $0) }
        }
    }
}
