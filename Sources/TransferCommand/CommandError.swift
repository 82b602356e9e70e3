internal import TransferModel

/// Why a command ends early: one sentence for the person, and the exit status.
struct CommandError: Error, Hashable, CustomStringConvertible {
    let status: ExitStatus
    let description: String

    /// Something in the command line, or a file it names, is wrong.
    static func usage(_ sentence: String) -> CommandError {
        CommandError(status: .usage, description: sentence)
    }

    /// The environment failed; the same command may work later.
    static func later(_ sentence: String) -> CommandError {
        CommandError(status: .later, description: sentence)
    }

    /// What any error that a command throws means to the person.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as StoreError: self.init(error)
        default: self = .usage(String(describing: error))
        }
    }

    /// The same, said with the place that it is about.
    func at(_ place: String) -> CommandError {
        CommandError(status: status, description: "\(place): \(description)")
    }

    private init(_ error: StoreError) {
        switch error {
        case .busy(let text), .environment(let text): self = .later(text)
        case .unusable(let text): self = .usage(text)
        }
    }

    private init(status: ExitStatus, description: String) {
        self.status = status
        self.description = description
    }
}
