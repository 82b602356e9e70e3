internal import TransferModel

extension DownloadPlace {
    /// What another server has to say of its file for a part of it to be one of the file that is begun here; nil: there is
    /// nothing that would tell.
    ///
    /// Two servers name their versions each in its own way. So the length has to be the same, and either a checksum that
    /// was given for the job proves the whole, or the other server knows the very entity tag, a strong one.
    func elsewhere(_ known: Checkpoint.Validator) -> Checkpoint.Validator? {
        if hasChecksum { return Checkpoint.Validator(total: known.total) }
        return known.strongTag.map { Checkpoint.Validator(entityTag: $0, total: known.total) }
    }

    /// The servers that can bring parts, the one first that brings the file already, and how many lanes each allows.
    func servers(_ known: Checkpoint.Validator, mayMix: Bool) -> [(origin: Origin, lanes: Int)] {
        let here = address.origin
        let lanes =
            here == job.origin
            ? lanes : min(lanes, sources.first { $0.url.origin == here }?.settings.lanes ?? 1)
        guard mayMix, elsewhere(known) != nil else { return [(here, lanes)] }
        var servers = [(origin: here, lanes: lanes)]
        for source in sources where !servers.contains(where: { $0.origin == source.url.origin }) {
            servers.append((source.url.origin, source.settings.lanes))
        }
        return servers
    }

    /// Where a lane to `origin` fetches its parts, and of which version they have to be.
    func part(at origin: Origin, _ known: Checkpoint.Validator) -> (DownloadPlace, Checkpoint.Validator)? {
        // A lane to the job's own origin may be on its way to where another address of the same server led.
        guard origin != address.origin, let source = sources.first(where: { $0.url.origin == origin }) else {
            return (self, known)
        }
        guard let version = elsewhere(known) else { return nil }
        var place = self
        place.address = source.url
        return (place, version)
    }
}
