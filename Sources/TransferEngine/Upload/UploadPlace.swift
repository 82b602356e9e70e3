internal import TransferModel

/// Where an upload goes at its server: the final path, and the one that it is sent to.
struct UploadPlace: Hashable, Sendable {
    /// What the job's address names.
    let address: RemotePath
    /// The address, or a free name beside it.
    private(set) var final: RemotePath
    /// The final path itself where there is no temporary one.
    private(set) var temporary: RemotePath

    var isDirect: Bool { temporary == final }

    /// As an earlier attempt has begun it, else as the plan says. Throws for names that cannot be.
    init(_ job: Job, _ plan: DeliveryPlan, size: Int64) throws(Failure) {
        address = try Self.address(of: job)
        final = job.checkpoint.chosenName.map(address.renamed) ?? address
        temporary =
            if let begun = job.checkpoint.remoteTemporary {
                RemotePath(begun)
            } else {
                try Self.temporary(for: final, job, plan.temporaryName, size: size)
            }
    }

    /// The path of the file; throws a permanent failure for an address that can't be the path of one file.
    static func address(of job: Job) throws(Failure) -> RemotePath {
        let path = try RemotePath(job.url)
        if job.url.isDirectory {
            throw Failure(.permanent, text: "\(job.url) names a directory, not a file")
        }
        guard path.name != nil else { throw Failure(.permanent, text: "\(job.url) names no file") }
        return path
    }

    /// The file goes to another name in the same directory; what is sent to its final name at once, too.
    mutating func choose(_ name: FileName) {
        if isDirect { temporary = address.renamed(name) }
        final = address.renamed(name)
    }

    /// The name where it is not the address's.
    var chosenName: FileName? { final == address ? nil : final.name }

    static func temporary(
        for final: RemotePath, _ job: Job, _ wish: TemporaryName, size: Int64
    ) throws(Failure) -> RemotePath {
        guard case .pattern(let template) = wish else { return final }
        var values = TemplateValues(job: job, final: final, size: size, life: job.checkpoint.life)
        var names = names(of: template.filled(values.bytes))
        if let last = names.last, last.count > 255 {
            values.longestName = max(1, (final.names.last?.count ?? 0) - (last.count - 255))
            names = Self.names(of: template.filled(values.bytes))
        }
        guard let last = names.last, FileName(bytes: last) != nil,
            !names.contains(where: { $0.contains(where: EscapedText.isControl) || $0 == [0x2e, 0x2e] })
        else {
            throw Failure(
                .permanent, text: "'temp_name = \(wish)' makes no name of a file of \(job.url)")
        }
        let isAbsolute = template.description.utf8.first == RemotePath.slash
        return isAbsolute
            ? RemotePath(isAbsolute: true, names: names)
            : RemotePath(isAbsolute: final.isAbsolute, names: final.parent.names + names)
    }

    private static func names(of path: [UInt8]) -> [[UInt8]] {
        path.split(separator: RemotePath.slash).map(Array.init)
    }
}
