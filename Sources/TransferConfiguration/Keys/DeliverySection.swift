import TransferModel

/// The keys that say how uploads are put into place: in `[origin]`, in `[route]` and after `--option`.
extension DeliveryWishes {
    /// What means something to downloads, too, which are put into place here.
    static let keysOfDownloads: Set<String> = ["on_conflict", "keep_mtime", "permissions"]

    static let keys: [ConfigurationKey<DeliveryWishes>] = naming + proof + attributes + company

    private static let naming: [ConfigurationKey<DeliveryWishes>] = [
        .optional(
            "temp_name", \.temporaryName, .temporaryName,
            "What the file is called until it is whole: a name with {id}, after a directory if you like, or 'off', as HTTP has it."
        ),
        .optional(
            "on_conflict", \.onConflict, .choice,
            "When the name is taken, here or there: 'replace', 'rename' (the new one is NAME-1.EXT), 'skip' or 'fail'."
        ),
    ]

    private static let proof: [ConfigurationKey<DeliveryWishes>] = [
        .optional(
            "verify", \.verification, .choice,
            "What is compared: 'size', with 'checksum' the server's strongest too, with 'read_back' the last bytes; HTTP: 'answer'."
        ),
        .optional(
            "resume", \.resuming, .choice,
            "How a cut one goes on: 'append' (APPE), 'rest' (REST and STOR) or 'off', from the start."),
    ]

    private static let attributes: [ConfigurationKey<DeliveryWishes>] = [
        .optional(
            "keep_mtime", \.keepsModified, .yesNo,
            "Whether the file keeps its modification time, where the server lets it be set or tells it, yes or no."
        ),
        .optional(
            "permissions", \.permissions, .permissions, "The permission bits it gets, there or here, octal."),
        .optional(
            "transfer_type", \.transferType, .choice,
            "FTP: 'image' sends byte for byte; 'ascii' is for text, whose line ends the server changes."),
    ]

    private static let company: [ConfigurationKey<DeliveryWishes>] = [
        .optionalList(
            "before", \.before, .commandBefore,
            "A server's own command before the first byte, after '*' one that may be refused (repeatable; blank: none)."
        ),
        .optionalList(
            "after_sent", \.afterSent, .command,
            "A server's own command when all is in place, '*' as in before (repeatable; blank: none)."),
        .optional(
            "marker", \.marker, .companionName,
            "An empty file beside it that comes last and says that it is there."),
        .optional(
            "checksum_file", \.checksumFile, .companionName,
            "A file beside it with its SHA-256, as sha256sum writes it."),
    ]
}
