internal import TransferModel

extension DownloadPlace {
    /// Why a file of that length is not the one that was asked for; nil when it may be.
    func objection(toSize size: Int64?) -> Failure? {
        guard let expected = wishes.expectedSize, let size, size != Int64(expected) else { return nil }
        return Failure(
            .permanent, text: "the file has \(size) bytes, not \(expected) as 'expect_size' has it")
    }

    /// Why an answer does not bring the file that was asked for; nil when it may.
    func objection(to head: HTTPHead) -> Failure? {
        guard let expected = wishes.expectedType else { return nil }
        let told = head.value("content-type").map { type in
            String(type.prefix { $0 != ";" }).trimmingBlanks().lowercased()
        }
        let wanted = expected.lowercased()
        let fits =
            if wanted.hasSuffix("/*") { told?.hasPrefix(wanted.dropLast()) == true } else { told == wanted }
        if fits { return nil }
        let shown = told.map { "'\(EscapedText.escape($0.utf8.prefix(200)))'" } ?? "of no type that it tells"
        return Failure(
            .permanent, code: head.status,
            text: "the server's file is \(shown), not '\(expected)' as 'expect_type' has it")
    }
}
