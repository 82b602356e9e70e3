internal import CCurl
internal import TransferModel

/// Commands and their replies, one after the other.
final class CommandDialogue: Dialogue {
    let control: ControlChannel
    private let transfer: Transfer
    private var commands: ArraySlice<[UInt8]>
    /// Whether the command that was sent last may be refused.
    private var isOptional = false
    private(set) var awaits = DialogueWait.reply

    /// The transfer is one of ``Request/isDialogue``. `resume` has ``proceed()`` called; from any queue.
    init(_ transfer: Transfer, over connection: KeptConnection, resume: @escaping @Sendable () -> Void) {
        control = ControlChannel(transfer, over: connection)
        self.transfer = transfer
        self.resume = resume
        commands = transfer.request.commands[...]
    }

    private let resume: @Sendable () -> Void

    func begin() -> DialogueEnd? {
        guard transfer.request.sendsTwo, let first = commands.popFirst(), let second = commands.popFirst()
        else {
            return sendNext()
        }
        return control.send(first, second)
    }

    func proceed() -> DialogueEnd? {
        if case .resumption = awaits {
            awaits = .reply
            return sendNext()
        }
        while true {
            switch control.next() {
            case .nothing: return nil
            case .end(let code): return .code(code)
            case .reply(let code):
                guard !control.hasMore else { return .code(CURLE_WEIRD_SERVER_REPLY) }
                guard code < 400 || isOptional else { return .code(CURLE_QUOTE_ERROR) }
                if control.open > 0 { continue }
                guard !commands.isEmpty else { return .code(CURLE_OK) }
                return sendNext()
            }
        }
    }

    private func sendNext() -> DialogueEnd? {
        if let licence = transfer.request.licence, commands.count <= transfer.request.licensed,
            !licence.wait(for: Lane.shortWait)
        {
            awaits = .resumption
            licence.onGrant(resume)
            return nil
        }
        guard var command = commands.popFirst() else { return .code(CURLE_OK) }
        isOptional = command.first == UInt8(ascii: "*")
        if isOptional { command.removeFirst() }
        return control.send(command)
    }

    var lateness: DialogueEnd? { .code(CURLE_OPERATION_TIMEDOUT) }

    func close() { control.close() }
}
