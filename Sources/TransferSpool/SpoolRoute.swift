import TransferModel

/// What the spool knows of one route.
final class SpoolRoute {
    let name: FileName
    /// The route's name as the configuration and the log have it.
    let label: String
    var settling: Settling
    var presence: Presence
    /// Names that were reported and left alone, with the look they had.
    var reported: [FileName: Look] = [:]
    /// The file system refused to take files; nothing is claimed before.
    var pausedUntil: MonotonicTime?
    /// Its directory was there once, so that its absence has been reported.
    var hasBeenOpened = false
    /// That the kernel refused a watch was said already.
    var watchFailed = false
    /// The last scan stopped because enough names waited.
    var scanIsIncomplete = false

    enum Presence {
        /// `watch` is nil where the kernel has none left: only scans find files then.
        case present(RouteDirectory, watch: Int32?)
        /// In words.
        case lost(String)
    }

    init(name: FileName, label: String, settle: Duration) {
        self.name = name
        self.label = label
        settling = Settling(settle: settle)
        presence = .lost("it was not opened yet")
    }

    var directory: RouteDirectory? {
        switch presence {
        case .present(let directory, _): directory
        case .lost: nil
        }
    }

    var watch: Int32? {
        switch presence {
        case .present(_, let watch): watch
        case .lost: nil
        }
    }

    var nextDeadline: MonotonicTime? {
        guard directory != nil, let due = settling.nextDeadline else { return nil }
        return pausedUntil.map { max($0, due) } ?? due
    }
}
