/// A download ends well without a new file: what stands here stays.
struct LeftAlone: Error {
    /// Why, as the job's digest says it.
    let reason: String
}
