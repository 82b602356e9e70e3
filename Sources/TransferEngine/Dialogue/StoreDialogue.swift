internal import CCurl
internal import Glibc
internal import TransferModel

/// One small file, sent over an idle control connection and a data connection of its own: EPSV, STOR, the bytes, and the
/// server's word that it has them (RFC 2428, RFC 959).
///
/// Before STOR is answered nothing has been taken of the body, and all that does not go as it nearly always does is left
/// to libcurl: a server without EPSV, a port that cannot be reached.
final class StoreDialogue: Dialogue {
    private enum State {
        case settingType, askingPort, opening, sending, confirming
    }

    /// What a server lacks with which it does not work, among the commands that others lack.
    static let name = "a data connection of ours"

    let control: ControlChannel
    private let transfer: Transfer
    private let order: StoreOrder
    private let lane: LaneControl
    private var state = State.settingType
    private var data: DataSocket?
    /// What became of the data connection while it carried the body.
    private var trouble: CURLcode?
    private(set) var awaits = DialogueWait.reply
    private let hasType: Bool

    /// `hasType`: whether the connection is in type I already.
    init(_ transfer: Transfer, _ order: StoreOrder, over socket: Int32, of lane: LaneControl, hasType: Bool) {
        control = ControlChannel(transfer, over: socket)
        self.transfer = transfer
        self.order = order
        self.lane = lane
        self.hasType = hasType
    }

    func begin() -> DialogueEnd? {
        guard hasType else { return control.send(Array("TYPE I".utf8)) }
        return askPort()
    }

    func proceed() -> DialogueEnd? {
        switch state {
        case .opening:
            if let end = lookAtConnection() { return end }
        case .sending:
            if let end = sendBody() { return end }
        case .settingType, .askingPort, .confirming: break
        }
        while true {
            switch control.next() {
            case .nothing: return nil
            case .end(let code): return .code(code)
            case .reply(let code):
                if let end = take(code) { return end }
            }
        }
    }

    private func take(_ code: Int) -> DialogueEnd? {
        switch state {
        case .settingType:
            guard code < 300, !control.hasMore else { return .needsLibrary }
            return askPort()
        case .askingPort:
            guard !control.hasMore else { return .code(CURLE_WEIRD_SERVER_REPLY) }
            guard code == 229, let port = ExtendedPassiveReply.port(transfer.answer.replies.text) else {
                return .needsLibrary
            }
            return connect(to: port)
        case .sending, .confirming: return confirm(code)
        case .opening:
            guard (100...199).contains(code) else { return .code(CURLE_UPLOAD_FAILED) }
            state = .sending
            return sendBody()
        }
    }

    // MARK: The data connection

    private func askPort() -> DialogueEnd? {
        state = .askingPort
        return control.send(Array("EPSV".utf8))
    }

    /// To the address that the control connection goes to: the reply names none. The server takes the connection when it
    /// has read STOR, which need not wait for it.
    private func connect(to port: UInt16) -> DialogueEnd? {
        guard let data = DataSocket(beside: control.socket, port: port, of: lane),
            let isConnected = data.connected()
        else { return .needsLibrary }
        self.data = data
        state = .opening
        if !isConnected { awaits = .room(data.descriptor) }
        return control.send(Array("STOR ".utf8) + order.path)
    }

    private func lookAtConnection() -> DialogueEnd? {
        guard case .room = awaits else { return nil }
        switch data?.connected() {
        case true?: awaits = .reply
        case false?: break
        case nil: return .needsLibrary
        }
        return nil
    }

    // MARK: The body

    /// Sends what the connection takes and the body has. When all is sent the connection's end says so.
    private func sendBody() -> DialogueEnd? {
        guard let data else { return .code(CURLE_SEND_ERROR) }
        awaits = .reply
        switch data.send(order.length, from: transfer) {
        case .all: break
        case .full: awaits = .room(data.descriptor)
        case .nothing: awaits = .resumption
        case .aborted: return .code(CURLE_ABORTED_BY_CALLBACK)
        case .broken: trouble = CURLE_SEND_ERROR
        }
        guard case .reply = awaits else { return nil }
        data.close()
        self.data = nil
        state = .confirming
        return nil
    }

    /// The reply to the whole transfer; one that comes before all is sent is a refusal of the rest.
    private func confirm(_ code: Int) -> DialogueEnd? {
        guard !control.hasMore else { return .code(CURLE_WEIRD_SERVER_REPLY) }
        guard state == .confirming, [226, 250].contains(code) else { return .code(CURLE_PARTIAL_FILE) }
        return .code(trouble ?? CURLE_OK)
    }

    /// The time is that of connecting.
    var lateness: DialogueEnd? {
        guard state == .opening, case .room = awaits else { return nil }
        return .needsLibrary
    }

    func close() {
        data?.close()
        data = nil
    }
}

/// What a ``StoreDialogue`` is to send.
struct StoreOrder {
    /// As it goes over the wire.
    let path: [UInt8]
    /// Bytes of the body.
    let length: Int64

    /// Larger files gain nothing.
    static let longest: Int64 = 65_536
}

/// The port in `229 Entering Extended Passive Mode (|||6446|)` (RFC 2428, section 3).
enum ExtendedPassiveReply {
    static func port(_ text: [UInt8]) -> UInt16? {
        guard let open = text.firstIndex(of: UInt8(ascii: "(")), open + 4 < text.count else { return nil }
        let mark = text[open + 1]
        guard (33...126).contains(mark), text[open + 2] == mark, text[open + 3] == mark else { return nil }
        var port = 0
        for (index, byte) in text[(open + 4)...].enumerated() {
            if byte == mark, index > 0, (1...65_535).contains(port) { return UInt16(port) }
            guard (0x30...0x39).contains(byte), index < 5 else { return nil }
            port = port * 10 + Int(byte - 0x30)
        }
        return nil
    }
}
