internal import TransferModel

/// A small form all of whose files the kernel has in memory: opened, read and laid out on the lane itself, since each visit
/// to a disk queue costs two changes of threads, which is much for a few kilobytes.
struct SmallForm {
    let content: FormContent
    /// The whole body.
    let bytes: [UInt8]

    /// More bytes of files are worth the visits.
    private static let largest: Int64 = HotSource.largest

    /// nil when any step could wait, or fails: then the disk queue is to try, and to say what is wrong.
    init?(_ form: FormDescription, of job: Job, below places: Places) throws(Failure) {
        guard !FormFilling.needsSHA256(form, at: job.url) else { return nil }
        let opener = SourceOpener(places: places)
        var hot: [HotSource] = []
        var size: Int64 = 0
        for file in form.parts.compactMap(\.file) {
            guard let source = opener.openHot(file) else { return nil }
            size += source.identity.size.rawValue
            guard size <= Self.largest else { return nil }
            hot.append(source)
        }
        content = try FormContent(
            form, of: job, hot.map { FormBodyReader.Source(file: $0.file, identity: $0.identity) })
        bytes = Self.bytes(of: content.body, hot)
    }

    private static func bytes(of body: FormBody, _ hot: [HotSource]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(body.length))
        for segment in body.segments {
            switch segment {
            case .bytes(let head): bytes += head
            case .file(let index, _):
                if case .bytes(let content) = hot[index].buffers.content() { bytes += content }
            }
        }
        return bytes + body.closing
    }
}
