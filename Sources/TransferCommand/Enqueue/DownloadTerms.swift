internal import TransferConfiguration
internal import TransferModel

/// What a person says of a download beside where it comes from, where it goes, and the options of a server.
struct DownloadTerms: Hashable, Sendable {
    var checksums: [Checksum] = []
    /// The address of a list of checksums, seen from the download's own.
    var checksumList: String?
    /// Further addresses of the same file.
    var mirrors: [TransferURL] = []

    /// What cannot hold for downloads of `urls`; nil when all of it can.
    func objection(_ urls: [TransferURL], to place: DownloadPlace, _ wishes: FetchWishes) -> String? {
        guard urls.count == 1 || (checksums.isEmpty && mirrors.isEmpty) else {
            let option = mirrors.isEmpty ? "--checksum" : "--mirror"
            return "\(option) is for one file, but there are \(urls.count) addresses"
        }
        if let url = (mirrors.isEmpty ? [] : urls + mirrors).first(where: { !$0.origin.scheme.isWeb }) {
            return "--mirror is for http:// and https:// addresses, not for '\(Shown.text(url.description))'"
        }
        guard wishes.takesServerName == true, case .file(let path) = place else { return nil }
        return
            "the server's name (-J) and -o '\(Shown.bytes(path.bytes))' exclude each other; -d names the directory"
    }

    /// The list's address for the download of `url`: at any web server for one from a web server, else at the same one.
    func list(for url: TransferURL) throws(CommandError) -> TransferURL? {
        guard let checksumList else { return nil }
        let list: TransferURL
        do throws(InvalidURL) {
            list = try url.resolving(checksumList)
        } catch {
            throw .usage("--checksum-url: \(Shown.text(error.description))")
        }
        let shown = Shown.text(list.description)
        guard list.fileName != nil else {
            throw .usage("--checksum-url '\(shown)' does not end in the name of a file")
        }
        let fits = url.origin.scheme.isWeb ? list.origin.scheme.isWeb : list.origin == url.origin
        guard fits else {
            throw .usage(
                url.origin.scheme.isWeb
                    ? "--checksum-url '\(shown)' has to be an http:// or https:// address as the download's"
                    : "--checksum-url '\(shown)' has to be at the download's own server; its path alone is enough"
            )
        }
        if !list.origin.scheme.isWeb, let objection = list.serverPathObjection {
            throw .usage("--checksum-url: \(Shown.text(objection))")
        }
        return list
    }

    static func checksum(_ text: String) throws(CommandError) -> Checksum {
        guard let checksum = Checksum(text) else {
            throw .usage("a checksum is \(Checksum.forms), not '\(Shown.text(text))'")
        }
        return checksum
    }
}
