internal import TransferModel

/// One retrieval while it runs: collects what the server says of the file, decides when the data begins, and leads the
/// data into the file.
final class FTPDownloadExchange: BodySink {
    enum Purpose {
        case start
        /// Bytes come again `from`, and new ones `at`; only of the known version.
        case resume(from: Int64, at: Int64, Checkpoint.Validator)
    }

    private(set) var body: DownloadBody?
    private(set) var piece: DownloadPiece?
    /// The file at the server is not the one that was begun.
    private(set) var isOther = false
    private var facts = FTPFacts()
    private let purpose: Purpose
    private let hasChecksum: Bool
    private let begin: (Purpose, DownloadPiece) -> DownloadBody

    init(_ purpose: Purpose, place: DownloadPlace, on lane: isolated Lane) {
        self.purpose = purpose
        hasChecksum = place.hasChecksum
        begin = { purpose, piece in
            let body = DownloadBody(on: place.disk, batch: DownloadBody.batch, wake: { lane.resume() })
            switch purpose {
            case .start: place.replace(with: piece, body, on: lane)
            case .resume: place.append(piece, body, on: lane)
            }
            return body
        }
    }

    /// The first byte that the server is asked for.
    var start: Int64 {
        switch purpose {
        case .start: 0
        case .resume(let start, _, _): start
        }
    }

    /// Takes a line of the control connection; false ends the transfer, when the file is not the one that was begun.
    func take(_ line: UnsafeRawBufferPointer) -> Bool {
        facts.take(line)
        guard body == nil, line.starts(with: "150".utf8) || line.starts(with: "125".utf8) else { return true }
        if case .resume(_, let offset, let known) = purpose {
            isOther = !facts.allowsResume(at: offset, of: known, hasChecksum: hasChecksum)
            guard !isOther else { return false }
        }
        let piece = DownloadPiece(
            end: facts.size.map(DownloadPiece.End.at) ?? .whereTheBodyEnds(isMarked: false),
            total: facts.size,
            validator: facts.validator)
        self.piece = piece
        body = begin(purpose, piece)
        return true
    }

    func settle() { body?.settle() }

    var plainLength: Int64? {
        guard body != nil, case .at(let end) = piece?.end else { return nil }
        return end - start
    }

    func space() -> Space { body?.space() ?? .fail(Self.early) }

    func filled(_ count: Int) -> WriteAnswer { body?.filled(count) ?? .fail(Self.early) }

    private static let early = Failure(.temporary, text: "data came before it was announced")

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteAnswer {
        body?.write(bytes) ?? .fail(Self.early)
    }
}
