public import TransferModel

/// What a download that was put down and then given up has left beside its target.
public enum DownloadRemains {
    /// Removes the temporary file of a job that has ended without its file; nothing happens where there is none, or no
    /// directory. Blocks for as long as the file system does.
    public static func remove(of job: Job, in places: Places) {
        guard case .download(let description) = job.description,
            let directory = try? DownloadDirectory(description, in: places, makes: false)
        else { return }
        directory.remove(directory.temporaryName(job.id))
    }
}
