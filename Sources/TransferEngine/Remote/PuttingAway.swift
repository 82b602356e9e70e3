internal import TransferModel

/// Removes or moves a file at its server that has been fetched; done at least once, so that what is gone already is good.
struct PuttingAway {
    let job: Job
    let server: any FileServer
    let path: RemotePath
    let order: PutAway

    /// How many names are tried where the file's own is taken.
    private static let mostNames = 1_000

    /// Throws for a directory that no server should be told, before anything is asked.
    func carryOut(on lane: isolated Lane) async throws {
        let directory = try order.moveTo.map { template throws(Failure) in try self.directory(template) }
        switch try await server.find([path], on: lane)[0] {
        case .absent: return
        case .size(let size):
            if let listed = order.version.size, listed != size { return changed(lane) }
        case .present, .unknown: break
        }
        guard try await hasListedTime(lane) else { return changed(lane) }
        guard let directory else {
            _ = try await server.remove(path, on: lane)
            return
        }
        try await move(into: directory, lane)
    }

    /// Times without seconds are those of lists in the form of `ls -l`, in nobody knows which zone.
    private func hasListedTime(_ lane: isolated Lane) async throws -> Bool {
        guard let listed = order.version.modified, listed.rawValue % 60_000 != 0 else { return true }
        let found = try await server.modified(of: path, on: lane)
        return found.map { $0.rawValue / 1000 == listed.rawValue / 1000 } ?? true
    }

    /// It is another file by now, which the next polls find.
    private func changed(_ lane: isolated Lane) {
        lane.report(
            .notice(
                severity: 6,
                text: "\(job.url) has changed since it was fetched; it stays, to be fetched again"))
    }

    private func directory(_ template: NameTemplate) throws(Failure) -> RemotePath {
        let values = TemplateValues(
            job: job, final: path, size: order.version.size ?? 0,
            modified: (order.version.modified?.rawValue ?? 0) * 1_000_000)
        let bytes = template.filled(values.bytes)
        let names = bytes.split(separator: RemotePath.slash).map(Array.init)
        let isWrong: ([UInt8]) -> Bool = { name in
            [[0x2e], [0x2e, 0x2e]].contains(name) || name.contains(where: EscapedText.isControl)
        }
        guard !names.isEmpty, !names.contains(where: isWrong) else {
            throw Failure(
                .permanent,
                text: "'move_to = \(template)' makes '\(EscapedText.escape(bytes))' of \(job.url), which is "
                    + "no directory that a server should be told")
        }
        return bytes.first == RemotePath.slash
            ? RemotePath(isAbsolute: true, names: names)
            : RemotePath(isAbsolute: path.isAbsolute, names: path.parent.names + names)
    }

    /// What stands there under its name already stays: the new one gets a number.
    private func move(into directory: RemotePath, _ lane: isolated Lane) async throws {
        guard let name = path.name else { throw Failure(.permanent, text: "\(job.url) names no file") }
        var hasMade = false
        var number = 0
        var target = directory.appending(name)
        while true {
            let move = RemoteMove(from: path, to: target, size: order.version.size, replaces: false)
            switch try await server.move(move, on: lane) {
            case .done: return
            case .wrongSize(.absent): return
            case .wrongSize: return changed(lane)
            case .lost(let failure): throw failure
            case .taken:
                number += 1
                guard number <= Self.mostNames, let next = NameParts(name.bytes).numbered(number) else {
                    throw Failure(.permanent, text: "all names for \(path) in \(directory) are taken")
                }
                target = directory.appending(next)
            case .refused(let failure):
                guard !hasMade else { throw failure }
                hasMade = true
                let refused = try await server.makeDirectories(
                    directory.parents + [directory], on: lane)
                if let refused { lane.report(.notice(severity: 7, text: refused.text)) }
            }
        }
    }
}
