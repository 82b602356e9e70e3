internal import TransferModel

/// The body of a small form, from memory; its closing delimiter follows when the form's seal is durable. Lives on the
/// lane's queue.
final class SmallFormBody: SealedBody {
    private let bytes: [UInt8]
    /// Where the closing delimiter begins.
    private let closing: Int
    private var offset = 0
    /// nil: nobody has asked for the seal yet.
    private var seal: Licence?
    private let askForSeal: () -> Licence
    private let wake: @Sendable () -> Void

    /// - Parameters:
    ///   - askForSeal: called once; the licence is granted when the seal is durable.
    ///   - wake: has libcurl ask for bytes again.
    init(_ form: SmallForm, askForSeal: @escaping () -> Licence, wake: @escaping @Sendable () -> Void) {
        bytes = form.bytes
        closing = form.bytes.count - form.content.body.closing.count
        self.askForSeal = askForSeal
        self.wake = wake
    }

    func sealAhead() -> (Licence, piece: [UInt8])? {
        let seal = askForSeal()
        self.seal = seal
        return (seal, bytes)
    }

    func handOver() -> Bool {
        guard offset == 0 else { return false }
        offset = bytes.count
        return true
    }

    var isSealed: Bool { offset > closing }

    func cancel() {}

    func read(into space: UnsafeMutableRawBufferPointer) -> ReadAnswer {
        guard offset < bytes.count else { return .end }
        guard offset < closing || mayEnd() else { return .wait }
        let limit = offset < closing ? closing : bytes.count
        let count = min(space.count, limit - offset)
        space.copyBytes(from: bytes[offset..<offset + count])
        offset += count
        return .bytes(count)
    }

    /// Whether the seal is durable; asks for it if nobody has.
    private func mayEnd() -> Bool {
        if let seal { return seal.isGranted }
        let asked = askForSeal()
        seal = asked
        asked.onGrant(wake)
        return false
    }
}
