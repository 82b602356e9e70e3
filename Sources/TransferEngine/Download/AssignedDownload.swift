internal import TransferModel

/// What of one download stays as it is for the whole attempt; all values of its ``DownloadPlace`` share it.
final class AssignedDownload: Sendable {
    let assignment: Assignment
    let description: DownloadDescription
    let directory: DownloadDirectory
    let disk: DiskQueue
    let wishes: FetchWishes
    let delivery: DeliveryWishes

    init(
        _ assignment: Assignment, _ description: DownloadDescription, _ directory: DownloadDirectory,
        _ disk: DiskQueue
    ) {
        self.assignment = assignment
        self.description = description
        self.directory = directory
        self.disk = disk
        wishes = assignment.fetch
        delivery = assignment.delivery
    }
}
