internal import TransferModel

/// Fetches one file into a temporary file beside its target, proves it, and renames it.
struct DownloadWorker: Worker {
    private let assignment: Assignment
    private let disk = DiskQueue()

    init(_ assignment: Assignment) { self.assignment = assignment }

    func run(on lane: isolated Lane) async throws -> Outcome.Arrival {
        // It holds the file.
        defer { lane.forgetReminder() }
        try assignment.requireLogin()
        let description = description
        let places = assignment.places
        let directory = try await open(description, in: places, on: lane)
        var place = DownloadPlace(assignment, description, directory, disk)
        let completion = DownloadCompletion(place: place)
        do {
            if assignment.job.stage == .renaming {
                if var arrival = try await completion.goOn(on: lane) {
                    arrival.isOfOrigin = false
                    return arrival
                }
                lane.record(.sending, Checkpoint())
            }
            try await completion.giveWayEarly(on: lane)
            if let list = description.checksumList {
                place.given.append(
                    try await ChecksumListFetch(assignment: assignment, list: list).run(on: lane))
            }
            return try await fetch(to: place, on: lane)
        } catch let left as LeftAlone {
            return try await completion.leave(left, on: lane)
        }
    }

    private func open(
        _ description: DownloadDescription, in places: Places, on lane: isolated Lane
    ) async throws -> DownloadDirectory {
        if let hot = DownloadDirectory.openHot(description, in: places) { return hot }
        return try await lane.onDisk(disk) { () throws(Failure) in
            try DownloadDirectory(description, in: places)
        }
    }

    /// Tries one address after the other; returns when the file is in its place.
    private func fetch(to first: DownloadPlace, on lane: isolated Lane) async throws -> Outcome.Arrival {
        var addresses = DownloadAddresses(
            assignment.job.url, description.mirrors ?? [], first: lane.checkpoint.mirror)
        var place = first
        while let address = addresses.next() {
            place.address = address.url
            place.mirror = address.mirror
            do {
                var arrival = try await fetchOnce(to: place, on: lane)
                arrival.isOfOrigin = address.url.origin == assignment.job.origin
                return arrival
            } catch let failure as Failure {
                guard addresses.failed(address, failure) else { break }
                let text = "job \(place.job.id), \(address.url): \(failure.text); the next address is tried"
                lane.report(.notice(severity: 6, text: text))
                place = place.goingOn(lane.checkpoint)
            }
        }
        throw addresses.failure ?? Failure(.temporary, text: "the download has no address")
    }

    private func fetchOnce(to place: DownloadPlace, on lane: isolated Lane) async throws -> Outcome.Arrival {
        do {
            let isVerified = try await fetch(from: place.address, to: place, on: lane)
            place.share.close()
            return try await DownloadCompletion(place: place).complete(lengthIsVerified: isVerified, on: lane)
        } catch {
            await place.close()
            throw error
        }
    }

    /// Returns when the file is whole; whether its length is verified.
    private func fetch(
        from address: TransferURL, to place: DownloadPlace, on lane: isolated Lane
    ) async throws -> Bool {
        switch address.origin.scheme {
        case .sftp: try await SFTPDownload(place, SFTPServer(assignment)).run(on: lane)
        case .ftp, .ftps: try await FTPDownload(place).run(on: lane)
        case .http, .https: try await HTTPDownload(place, RequestTerms(assignment)).run(on: lane)
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
