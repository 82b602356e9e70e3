internal import TransferModel

/// Fetches one file into a temporary file beside its target, proves it, and renames it.
struct DownloadWorker: Worker {
    private let assignment: Assignment
    private let disk = DiskQueue()

    init(_ assignment: Assignment) { self.assignment = assignment }

    func run(on lane: isolated Lane) async throws -> Outcome.Arrival {
        try assignment.requireLogin()
        let description = description
        let places = assignment.places
        let directory = try await lane.onDisk(disk) { () throws(Failure) in
            try DownloadDirectory(description, in: places)
        }
        let place = DownloadPlace(assignment, description, directory, disk)
        let completion = DownloadCompletion(place: place)
        if assignment.job.stage == .renaming {
            if let arrival = try await completion.goOn(on: lane) { return arrival }
            lane.record(.sending, Checkpoint())
        }
        do {
            let isVerified = try await fetch(to: place, on: lane)
            place.share.close()
            return try await completion.complete(lengthIsVerified: isVerified, on: lane)
        } catch {
            await place.close()
            throw error
        }
    }

    /// Returns when the file is whole; whether its length is verified.
    private func fetch(to place: DownloadPlace, on lane: isolated Lane) async throws -> Bool {
        if lane.origin.scheme == .sftp {
            try await SFTPDownload(place, SFTPServer(assignment)).run(on: lane)
        } else if !lane.origin.scheme.isWeb {
            try await FTPDownload(place).run(on: lane)
        } else {
            try await HTTPDownload(place, RequestTerms(assignment)).run(on: lane)
        }
    }

    func discard(_ remains: Checkpoint, on lane: isolated Lane) async {
        let description = description
        let places = assignment.places
        let id = assignment.job.id
        try? await disk.value { () throws(Failure) in
            let directory = try DownloadDirectory(description, in: places, makes: false)
            directory.remove(directory.temporaryName(id))
        }
    }

    private var description: DownloadDescription {
        switch assignment.job.description {
        case .download(let download): download
        case .upload, .form, .remote: preconditionFailure("a download's worker is given downloads")
        }
    }
}
