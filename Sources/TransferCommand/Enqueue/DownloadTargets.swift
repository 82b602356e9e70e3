internal import TransferModel

/// Decides where a download is written: always below a directory of `download_dirs`.
struct DownloadTargets: Sendable {
    let places: Places
    /// Relative paths start here.
    let workingDirectory: FilePath

    /// The descriptions in the order of `urls`; throws where two would be one file.
    ///
    /// - Parameter mayLackName: an address without a name does, since the server tells one.
    func descriptions(
        _ urls: [TransferURL], to place: DownloadPlace, mayLackName: Bool = false
    ) throws(CommandError) -> [DownloadDescription] {
        var taken: Set<FilePath> = []
        var descriptions: [DownloadDescription] = []
        for url in urls {
            let description = try description(url, place, mayLackName)
            guard taken.insert(description.target).inserted || mayLackName else {
                throw .usage(
                    "two of the addresses would be saved as '\(Shown.bytes(description.target.bytes))'; "
                        + "enqueue them one by one with -o")
            }
            descriptions.append(description)
        }
        return descriptions
    }

    private func description(
        _ url: TransferURL, _ place: DownloadPlace, _ mayLackName: Bool
    ) throws(CommandError) -> DownloadDescription {
        let path =
            switch place {
            case .standard: places.downloads.appending(try name(of: url, mayLackName))
            case .directory(let directory): directory.appending(try name(of: url, mayLackName))
            case .file(let file): file
            }
        guard path.lastComponent?.hasControlBytes == false else {
            throw .usage("'\(Shown.bytes(path.bytes))' is not the path of a file without control bytes")
        }
        let target = RealPath.ofPlanned(path, from: workingDirectory)
        guard !RealPath.isDirectory(target) else {
            throw .usage("'\(Shown.bytes(target.bytes))' is a directory; -d saves files into it")
        }
        for directory in places.downloadDirectories {
            let root = RealPath.ofPlanned(directory, from: workingDirectory)
            if let relative = target.relative(to: root) {
                return DownloadDescription(directory: directory, target: relative)
            }
        }
        throw outside(target, place)
    }

    private func name(of url: TransferURL, _ mayLackName: Bool) throws(CommandError) -> FileName {
        guard let name = url.fileName ?? (mayLackName ? FileName("download") : nil) else {
            throw .usage(
                "the address '\(Shown.text(url.description))' ends in no file name; say -o FILE"
                    + (url.isDirectory ? ", or --glob '*' for all files of that directory" : ""))
        }
        guard !name.hasControlBytes else {
            throw .usage(
                "the address '\(Shown.text(url.description))' names a file with control bytes; say -o FILE")
        }
        return name
    }

    private func outside(_ target: FilePath, _ place: DownloadPlace) -> CommandError {
        let allowed = places.downloadDirectories.map { Shown.bytes($0.bytes) }.joined(separator: ", ")
        let name = target.lastComponent.map { places.downloads.appending($0) } ?? places.downloads
        let advice =
            switch place {
            case .standard, .directory: "give a directory below one of these with -d, or none for the first"
            case .file: "write -o '\(Shown.bytes(name.bytes))'"
            }
        return .usage(
            "'\(Shown.bytes(target.bytes))' is outside of the directories that transferd saves into "
                + "(download_dirs = \(allowed)): \(advice), or add its directory to download_dirs")
    }
}
