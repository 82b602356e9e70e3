internal import FoundationEssentials
internal import Glibc
internal import TransferModel

/// A result in lines of JSON, gathered and then written at once.
struct ResultLines: Sendable {
    private(set) var content: [UInt8] = []

    mutating func append(_ line: some Encodable) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            content += try encoder.encode(line)
            content.append(0x0a)
        } catch {
            throw Failure(.permanent, text: "the answer cannot be written as JSON: \(error)")
        }
    }

    /// Makes the job's result of it. Blocks on the file system: call it on a disk queue.
    func write(as id: JobID, in places: Places) throws(Failure) {
        let file = try RemoteResults.create(id, in: places)
        var rest = content[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file.descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Failure.system("cannot write '\(file.path)'")
            }
        }
    }
}

extension ListedName {
    init(_ entry: RemoteEntry) {
        let type: Kind =
            switch entry.kind {
            case .file: .file
            case .directory: .directory
            case .link: .link
            case .other: .other
            }
        self.init(
            Entry(
                name: EscapedText.escape(entry.name), type: type, size: entry.size,
                modified: entry.modified.map { CalendarTime($0).text },
                permissions: entry.permissions?.description,
                owner: entry.owner.map { EscapedText.escape($0) },
                group: entry.group.map { EscapedText.escape($0) },
                target: entry.target.map { EscapedText.escape($0) }))
    }
}
