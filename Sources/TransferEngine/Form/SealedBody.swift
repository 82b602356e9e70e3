/// The body of a form, whose last bytes come only after the form's seal is durable.
protocol SealedBody: BodySource {
    /// Whether the server may have all of it: nobody knows then.
    var isSealed: Bool { get }

    /// Asks for the seal before anything is sent. The body goes out in one piece when it is granted, after a call of
    /// ``handOver()``. nil: it is asked for when it is due.
    func sealAhead() -> (Licence, piece: [UInt8])?

    /// The whole body is about to be sent; false when it was before.
    func handOver() -> Bool

    /// Nothing more is read.
    func cancel()
}
