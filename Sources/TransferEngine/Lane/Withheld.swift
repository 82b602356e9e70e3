internal import Glibc
internal import TransferModel

/// Keeps a login's password out of what a server said, should it repeat it.
struct Withheld {
    private let secrets: [[UInt8]]
    private static let mask = Array("…".utf8)
    /// A shorter one stands in any text.
    private static let shortest = 4

    init(_ login: CredentialsTable.Login) {
        guard case .credentials(let login) = login, login.password.utf8.count >= Self.shortest else {
            secrets = []
            return
        }
        let basic = Base64.encode(Array("\(login.user):\(login.password)".utf8))
        secrets = [Array(login.password.utf8), Array(basic.utf8)]
    }

    func from(_ outcome: Outcome) -> Outcome {
        guard !secrets.isEmpty else { return outcome }
        switch outcome {
        case .arrived(var arrival):
            arrival.reply = arrival.reply.map(from)
            return .arrived(arrival)
        case .failed(var failure):
            failure.text = String(decoding: from(Array(failure.text.utf8)), as: UTF8.self)
            failure.reply = failure.reply.map(from)
            return .failed(failure)
        case .cancelled, .interrupted: return outcome
        }
    }

    private func from(_ reply: Reply) -> Reply {
        Reply(status: reply.status, head: reply.head.map(from), body: from(reply.body))
    }

    private func from(_ bytes: [UInt8]) -> [UInt8] {
        secrets.reduce(bytes) { bytes, secret in
            guard Self.holds(bytes, secret) else { return bytes }
            return bytes.replacing(secret, with: Self.mask)
        }
    }

    private static func holds(_ bytes: [UInt8], _ secret: [UInt8]) -> Bool {
        guard bytes.count >= secret.count else { return false }
        return bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return (0...(buffer.count - secret.count)).contains { offset in
                start[offset] == secret[0] && memcmp(start + offset, secret, secret.count) == 0
            }
        }
    }
}
