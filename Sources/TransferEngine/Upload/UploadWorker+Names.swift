internal import TransferModel

extension UploadWorker {
    /// Throws a permanent failure for an address or a wish that no server should be told; nothing is connected yet.
    func checkNames() throws(Failure) {
        let address = try UploadPlace.address(of: job)
        guard plan.hasTemplates else { return }
        let values = TemplateValues(job: job, final: address)
        _ = try companion(plan.marker, "marker", values)
        _ = try companion(plan.checksumFile, "checksum_file", values)
        _ = try commands(plan.before, "before", values)
        _ = try commands(plan.afterSent, "after_sent", values)
    }

    /// The path of a file that goes beside the one that is sent; nil where none is wished.
    func companion(
        _ template: NameTemplate?, _ key: String, _ values: TemplateValues
    ) throws(Failure) -> RemotePath? {
        guard let template else { return nil }
        let final = values.final
        let bytes = template.filled(values.bytes)
        guard let name = FileName(bytes: bytes), !name.hasControlBytes, final.names.last != bytes else {
            throw Failure(
                .permanent,
                text:
                    "'\(key) = \(template)' makes '\(EscapedText.escape(bytes))' of \(job.url), which is no name "
                    + "of another file beside it")
        }
        return final.renamed(name)
    }

    /// Filled in; throws for a control byte, which would begin another command.
    func commands(
        _ templates: [NameTemplate], _ key: String, _ values: TemplateValues
    ) throws(Failure) -> [[UInt8]] {
        try templates.map { template throws(Failure) in
            let command = template.filled(values.bytes)
            guard !command.contains(where: EscapedText.isControl) else {
                throw Failure(
                    .permanent,
                    text:
                        "'\(key) = \(template)' has a control byte in it when it is filled in for \(job.url); "
                        + "no server is told such a command")
            }
            return command
        }
    }
}
