import TransferModel

/// Where below the spool a source lies, by its path.
enum SpoolPlace: Hashable {
    /// `ROUTE/NAME`.
    case dropped(FileName)
    /// `ROUTE/.claimed/BATCH/NAME`.
    case claimed(batch: FileName, FileName)
    /// `ROUTE/failed/NAME`.
    case failed(FileName)
    /// `ROUTE/sent/NAME`.
    case sent(FileName)

    /// The route and the place; nil when the path is none of these.
    static func parse(_ path: FilePath) -> (route: FileName, place: SpoolPlace)? {
        let names = path.components.compactMap(FileName.init(bytes:))
        guard names.count == path.components.count, let route = names.first else { return nil }
        switch names.count {
        case 2 where !RouteDirectory.isReserved(names[1]): return (route, .dropped(names[1]))
        case 3 where names[1].bytes == Array("failed".utf8): return (route, .failed(names[2]))
        case 3 where names[1].bytes == Array("sent".utf8): return (route, .sent(names[2]))
        case 4 where names[1].bytes == Array(".claimed".utf8):
            return (route, .claimed(batch: names[2], names[3]))
        default: return nil
        }
    }

    /// The path below the spool.
    func path(of route: FileName) -> FilePath {
        let directory = FilePath(route)
        return switch self {
        case .dropped(let name): directory.appending(name)
        case .claimed(let batch, let name):
            directory.appending(RouteDirectory.claimedName).appending(batch).appending(name)
        case .failed(let name): directory.appending(RouteDirectory.failedName).appending(name)
        case .sent(let name): directory.appending(RouteDirectory.sentName).appending(name)
        }
    }

    /// The directory that holds the file, and the path there.
    func location(in route: RouteDirectory) -> (OpenDirectory, FilePath) {
        switch self {
        case .dropped(let name): (route.dropped, FilePath(name))
        case .claimed(let batch, let name): (route.claimed, FilePath(batch).appending(name))
        case .failed(let name): (route.failed, FilePath(name))
        case .sent(let name): (route.sent, FilePath(name))
        }
    }
}
