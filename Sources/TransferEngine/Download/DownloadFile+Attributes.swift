import CLinux
internal import Glibc
internal import TransferModel

extension DownloadFile {
    func setPermissions(_ permissions: Permissions) throws(Failure) {
        guard fchmod(file.descriptor, mode_t(permissions.bits)) == 0 else {
            throw Failure.system("cannot give '\(file.path)' the permissions \(permissions)")
        }
    }

    /// After the last byte.
    func setModified(_ time: Timestamp) throws(Failure) {
        let (seconds, rest) = time.rawValue.quotientAndRemainder(dividingBy: 1000)
        let isBefore = rest < 0
        let modified = timespec(
            tv_sec: Int(isBefore ? seconds - 1 : seconds),
            tv_nsec: Int((isBefore ? rest + 1000 : rest) * 1_000_000))
        // UTIME_OMIT leaves the time of the last access as it is.
        let times = [timespec(tv_sec: 0, tv_nsec: Self.unchanged), modified]
        guard futimens(file.descriptor, times) == 0 else {
            throw Failure.system("cannot set the modification time of '\(file.path)'")
        }
    }

    /// UTIME_OMIT, a macro with a cast that Swift does not import.
    private static let unchanged = (1 << 30) - 2

    /// Notes with the file which version it is; after everything else. A file system that notes nothing is no failure.
    func note(_ version: Checkpoint.Validator, of address: TransferURL) {
        guard let status = try? file.status() else { return }
        NotedVersion(version, of: address, status).write(to: file)
    }
}
