internal import TransferModel

extension SFTPServer {
    func describe(on lane: isolated Lane) async throws(Stop) -> ServerDescription {
        var description = ServerDescription()
        lane.sftp = nil
        do {
            let connection = try await lane.openSFTP(assignment, noting: &description)
            lane.sftp = connection
            try await note(connection, &description, on: lane)
        } catch let stop as Stop {
            throw stop
        } catch let failure as Failure {
            description.failure = failure
        } catch {
            lane.sftp = nil
            try lane.checkStop()
            description.failure = Failure(.temporary, text: "asking \(assignment.job.origin): \(error)")
        }
        return description
    }

    private func note(
        _ connection: SFTPConnection, _ description: inout ServerDescription, on lane: isolated Lane
    ) async throws {
        let names = connection.extensions.keys.sorted().map { ForeignText.clean($0.utf8) }
        description.add("extensions", names.isEmpty ? "none" : names.joined(separator: ", "))
        let answer = try await connection.ask(.realPath, on: lane) { $0.put([UInt8(ascii: ".")]) }
        if var reader = try? answer.reader(of: .names), try reader.number() > 0 {
            description.add("directory", ForeignText.clean(try reader.string()))
        }
        description.add("resume", "at any offset")
        description.add("checksums", "none; 'verify = read_back' compares the end of a file")
        description.add(
            "rename",
            connection.renamesAtomically
                ? "over an existing file, in one step" : "not over an existing file, which is removed first")
    }
}
