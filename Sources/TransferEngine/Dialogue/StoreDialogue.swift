internal import CCurl
internal import Glibc
internal import TransferModel

/// One small file, sent over an idle control connection and a data connection of its own: EPSV, STOR, the bytes, and the
/// server's word that it has them (RFC 2428, RFC 959); secured where the control connection is (RFC 4217).
///
/// Before STOR is answered and the data connection stands nothing has been taken of the body, and all that does not go as
/// it nearly always does is left to libcurl: a server without EPSV, a port that cannot be reached, a TLS session that is
/// not gone on with.
final class StoreDialogue: Dialogue {
    private enum State {
        case settingType, askingPort, opening, greeting, sending, confirming
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
    /// Of the control connection, where it is secured.
    private let tls: OpaquePointer?

    /// `hasType`: whether the connection is in type I already.
    init(
        _ transfer: Transfer, _ order: StoreOrder, over connection: KeptConnection, of lane: LaneControl,
        hasType: Bool
    ) {
        control = ControlChannel(transfer, over: connection)
        tls = connection.tls
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
        case .greeting, .sending:
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
        // It may be for the session that the server refuses.
        case .greeting: return .needsLibrary
        case .sending, .confirming: return confirm(code)
        case .opening:
            guard (100...199).contains(code) else {
                return tls == nil ? .code(CURLE_UPLOAD_FAILED) : refused(code)
            }
            state = .greeting
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
            data.connected() != nil, tls.map(data.secure) ?? true
        else { return .needsLibrary }
        self.data = data
        state = .opening
        if let end = control.send(Array("STOR ".utf8) + order.path) { return end }
        return lookAtConnection()
    }

    /// While STOR is not answered yet.
    private func lookAtConnection() -> DialogueEnd? {
        guard let data, let isConnected = data.connected() else { return .needsLibrary }
        awaits = isConnected ? .reply : .data(data.descriptor, CURL_POLL_OUT)
        return isConnected ? greet(data) : nil
    }

    private func greet(_ data: DataSocket) -> DialogueEnd? {
        switch data.greet() {
        case .done: awaits = .reply
        case .waits(let what): awaits = .data(data.descriptor, what)
        case .failed: return .needsLibrary
        }
        return nil
    }

    /// A server that wants no session, or a session of its own, says so in many words: libcurl's way finds out what it
    /// wants.
    private func refused(_ code: Int) -> DialogueEnd {
        [425, 522].contains(code) ? .needsLibrary : .code(CURLE_UPLOAD_FAILED)
    }

    // MARK: The body

    /// Sends what the connection takes and the body has. When all is sent the connection's end says so.
    private func sendBody() -> DialogueEnd? {
        guard let data else { return .code(CURLE_SEND_ERROR) }
        if state == .greeting {
            if let end = greet(data) { return end }
            guard case .reply = awaits else { return nil }
            state = .sending
        }
        awaits = .reply
        switch data.send(order.length, from: transfer) {
        case .all: break
        case .full: awaits = .data(data.descriptor, CURL_POLL_OUT)
        case .nothing: awaits = .resumption
        case .aborted: return .code(CURLE_ABORTED_BY_CALLBACK)
        case .broken: trouble = CURLE_SEND_ERROR
        }
        guard case .reply = awaits else { return nil }
        if !data.end() { trouble = trouble ?? CURLE_SEND_ERROR }
        state = .confirming
        control.isAwaiting = true
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
        guard state == .opening || state == .greeting, case .data = awaits else { return nil }
        return .needsLibrary
    }

    func close() {
        data?.close()
        data = nil
        control.close()
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
