internal import TransferModel

/// Changes something at a server: what a person asks for is done or refused, and never more than that.
struct RemoteChange {
    let server: any FileServer
    let path: RemotePath
    let url: TransferURL

    func carryOut(_ operation: RemoteOperation, on lane: isolated Lane) async throws {
        guard !path.names.isEmpty else {
            throw Failure(
                .permanent, text: "\(url) names the directory that paths start from; it stays as it is")
        }
        do {
            try await change(operation, lane)
        } catch let failure as Failure where lane.origin.scheme == .sftp && failure.scope == .job {
            throw await explained(failure, operation, lane)
        }
    }

    private func change(_ operation: RemoteOperation, _ lane: isolated Lane) async throws {
        switch operation {
        case .remove:
            guard try await server.remove(path, on: lane) else {
                throw refused("there is no file \(path)", lane)
            }
        case .removeDirectory: try await server.removeDirectory(path, on: lane)
        case .makeDirectory(withParents: false):
            // Some web servers make one that is there once more.
            if lane.origin.scheme.isWeb, try await server.find([path], on: lane)[0] == .present {
                throw taken(path, lane)
            }
            if let failure = try await server.makeDirectories([path], on: lane) { throw failure }
        case .makeDirectory(withParents: true): try await makeWithParents(lane)
        case .rename(let target): try await rename(to: target, lane)
        case .list, .get, .quote, .check, .removeRemains, .poll, .putAway:
            preconditionFailure("'\(operation.name.rawValue)' changes nothing")
        }
    }

    /// OpenSSH says 'Failure' to everything: what stands there tells why.
    private func explained(
        _ failure: Failure, _ operation: RemoteOperation, _ lane: isolated Lane
    ) async -> Failure {
        let listing = try? await server.list(path, on: lane)
        let isDirectory = listing != nil
        let found = isDirectory ? .present : try? await server.find([path], on: lane).first
        switch operation {
        case .remove where isDirectory: return refused("\(path) is a directory; 'rmdir' removes it", lane)
        case .removeDirectory where listing?.entries.isEmpty == false:
            return refused("the directory \(path) is not empty", lane)
        case .makeDirectory where found != .absent && found != .unknown && found != nil:
            return refused("something stands at \(path) already", lane)
        case .remove, .removeDirectory, .makeDirectory, .rename, .list, .get, .quote, .check, .removeRemains,
            .poll, .putAway:
            return failure
        }
    }

    /// That the last one is there already is good, if it is a directory.
    private func makeWithParents(_ lane: isolated Lane) async throws {
        guard let failure = try await server.makeDirectories(path.parents + [path], on: lane) else { return }
        do {
            _ = try await server.list(path, on: lane)
        } catch is Failure {
            throw failure
        }
    }

    private func rename(to target: FilePath, _ lane: isolated Lane) async throws {
        let new = try newPath(target)
        guard new != path else { throw refused("\(path) has that name already", lane) }
        switch try await server.find([new], on: lane)[0] {
        case .size, .present: throw taken(new, lane)
        case .absent, .unknown: break
        }
        switch try await server.move(RemoteMove(from: path, to: new, size: nil, replaces: false), on: lane) {
        case .done: return
        case .taken: throw taken(new, lane)
        case .wrongSize: throw refused("\(path) is not what it was", lane)
        case .refused(let failure), .lost(let failure): throw failure
        }
    }

    /// Beside the old one unless it is absolute; one that ends in a slash keeps the name.
    private func newPath(_ target: FilePath) throws(Failure) -> RemotePath {
        let names = target.components + (target.bytes.last == RemotePath.slash ? [path.names.last ?? []] : [])
        for name in names
        where name.contains(where: EscapedText.isControl) || [[0x2e], [0x2e, 0x2e]].contains(name) {
            throw Failure(.permanent, text: "'\(target)' has '.', '..' or a control byte as or in a name")
        }
        guard !names.isEmpty else { throw Failure(.permanent, text: "'\(target)' names nothing") }
        return target.isAbsolute
            ? RemotePath(isAbsolute: true, names: names)
            : RemotePath(isAbsolute: path.isAbsolute, names: path.parent.names + names)
    }

    private func taken(_ path: RemotePath, _ lane: isolated Lane) -> Failure {
        refused("something stands at \(path) already, and stays", lane)
    }

    private func refused(_ sentence: String, _ lane: isolated Lane) -> Failure {
        Failure(.permanent, text: "\(sentence) (\(lane.origin))")
    }
}
