/// Why a job is to end before it is through.
enum Stop: Error {
    /// A person cancelled it: what can be removed at the other side is removed.
    case cancelled
    /// The daemon stops or holds it: it goes on later.
    case interrupted
}
