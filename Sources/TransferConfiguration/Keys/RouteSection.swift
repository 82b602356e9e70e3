import TransferModel

/// Section `[route NAME]` while it is read: what has no default may be missing still.
struct RouteSection: Sendable {
    var kind: RouteSettings.Kind?
    var url: TransferURL?
    /// nil: the first that its kind permits.
    var after: RouteSettings.After?
    var options: RouteSettings

    init(name: String) {
        let anywhere = TransferURL(Origin(scheme: .ftp, host: "localhost"))
        options = RouteSettings(name: name, kind: .upload, url: anywhere)
    }

    /// nil without kind or address.
    var route: RouteSettings? {
        guard let kind, let url else { return nil }
        var route = options
        route.kind = kind
        route.url = url
        route.after = after ?? RouteSettings.After.permitted(in: kind)[0]
        return route
    }

    static let keys =
        general + poll + FetchWishes.keysOfRoutes.map { $0.within(\.options.fetch) }
        + DeliveryWishes.keys.map { $0.within(\.options.delivery) } + form
        + RequestWishes.keys.map { $0.within(\.options.request) }

    private static let general: [ConfigurationKey<RouteSection>] = [
        .optional(
            "kind", \.kind, .choice,
            "'upload' (FTP, FTPS, SFTP, HTTP), 'form' (a multipart/form-data POST), or 'fetch' what appears at a server."
        ),
        .optional(
            "url", \.url, .url,
            "Where files go, or are fetched from: a directory ends in '/'; a password stands in the netrc file, never here."
        ),
        .optional(
            "after", \.after, .choice,
            "When it has arrived: 'delete', or 'archive' into sent/; fetch, at the server: 'leave', 'delete' or 'move'."
        ),
        .one(
            "settle", \.options.settle, .duration(atLeast: .zero),
            "Quiet time after the last close or write before a file is taken."),
        .optional("tls", \.options.tls, .choice, "As in [origin], for this route's server."),
        .optional("lanes", \.options.lanes, .number(1...1024), "As in [origin], for this route's server."),
    ]

    private static let poll: [ConfigurationKey<RouteSection>] = [
        .one(
            "interval", \.options.poll.interval, .duration(atLeast: .seconds(1)),
            "Fetch: from one look into the directory to the next; a file is fetched when it stayed the same for that long."
        ),
        .list(
            "glob", \.options.poll.globs, .namePattern,
            "Fetch: the names that are fetched, shell patterns (repeatable); without it all but those of 'ignore'."
        ),
        .optional(
            "directory", \.options.poll.directory, .path,
            "Fetch: where files go, below one of download_dirs; by default the route's name in the first of them."
        ),
        .optional(
            "move_to", \.options.poll.moveTo, .remoteDirectory,
            "Fetch: with 'after = move', the directory at the server: beside url's files, or from its root with a '/'."
        ),
    ]

    private static let form: [ConfigurationKey<RouteSection>] = [
        .list(
            "field", \.options.fields, .formField,
            "Form: a text field before the file, NAME=VALUE (repeatable, in order); VALUE may have {name} {size} … in it."
        ),
        .one("file_field", \.options.fileField, .text, "Form: the name of the part that holds the file."),
        .optional(
            "filename", \.options.filename, .filledFilename,
            "Form: what the file is called there, such as {stem}-{date:%Y%m%d}.{ext}; by default as it was dropped."
        ),
        .optional(
            "file_type", \.options.fileType, .mediaType,
            "Form: the file's media type; by default what its name says, else application/octet-stream."),
        .one(
            "filename_star", \.options.hasEncodedFilename, .yesNo,
            "Form: whether the file's name is told as filename* too (RFC 8187), which browsers never do, yes or no."
        ),
    ]

    /// The keys that mean something at web servers alone.
    static let keysOfWebServers = Set(RequestWishes.keys.map(\.name)).union(
        FetchWishes.keysOfRoutes.map(\.name).filter(FetchWishes.keysOfWebServers.contains))

    /// The keys that mean something to one kind alone.
    static let keysOfOneKind: [RouteSettings.Kind: Set<String>] = [
        .form: Set(form.map(\.name)), .fetch: Set(poll.map(\.name) + FetchWishes.keysOfRoutes.map(\.name)),
        .upload: Set(DeliveryWishes.keys.map(\.name)),
    ]
}
