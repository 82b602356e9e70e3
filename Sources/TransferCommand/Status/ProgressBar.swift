/// A bar for a terminal: `█████▌   ` where it speaks UTF-8, `######   ` elsewhere.
struct ProgressBar: Hashable, Sendable {
    let width: Int
    let isUnicode: Bool

    /// Empty blocks while nobody knows how far it goes.
    func text(_ fraction: Double?) -> String {
        guard let fraction else { return isUnicode ? String(repeating: "·", count: width) : dots }
        let eighths = Int((max(0, min(1, fraction)) * Double(width * 8)).rounded(.down))
        if isUnicode {
            let part = eighths % 8 == 0 ? "" : ProgressBar.parts[eighths % 8]
            return fill("█", eighths / 8, part)
        }
        return "[" + fill("#", eighths / 8, "") + "]"
    }

    private static let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    private var dots: String { "[" + String(repeating: ".", count: width) + "]" }

    private func fill(_ block: String, _ count: Int, _ part: String) -> String {
        let filled = String(repeating: block, count: count) + part
        return filled + String(repeating: " ", count: max(0, width - count - (part.isEmpty ? 0 : 1)))
    }
}
