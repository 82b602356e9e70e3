internal import CLinux
internal import Glibc
internal import TransferModel

/// Who keeps a lock on the job table, as far as /proc/locks tells: proc(5).
enum TableHolder {
    /// The byte of the `-shm` file that a writer locks: https://www.sqlite.org/walformat.html, section 2.3.
    private static let writeLock: UInt64 = 120

    /// "process 1234 (sqlite3)" or "another program".
    static func describe(table: FilePath) -> String {
        guard let text = FilePath("/proc/locks").flatMap(SystemCalls.contents(of:)) else {
            return "another program"
        }
        let locks = String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap(Lock.init)
        let shared = inode(TableFiles.sharedMemory(of: table))
        let main = inode(table)
        let writer = locks.first { $0.inode == shared && $0.covers(writeLock) }
        let holder = writer ?? locks.first { $0.inode == main || $0.inode == shared }
        return holder.map { ProcessName.describe($0.process) } ?? "another program"
    }

    private static func inode(_ path: FilePath) -> UInt64? {
        SystemCalls.status(of: path).map { UInt64($0.st_ino) }
    }

    /// One write lock: `1: POSIX  ADVISORY  WRITE 1234 08:01:5678 120 120`.
    struct Lock {
        let process: Int
        let inode: UInt64
        let first: UInt64
        let last: UInt64

        init?(_ line: Substring) {
            let fields = line.split(separator: " ")
            guard fields.count == 8, fields[3] == "WRITE", let process = Int(fields[4]), process > 0 else {
                return nil
            }
            guard let inode = fields[5].split(separator: ":").last.flatMap({ UInt64($0) }) else { return nil }
            guard let first = UInt64(fields[6]) else { return nil }
            self.process = process
            self.inode = inode
            self.first = first
            last = UInt64(fields[7]) ?? .max
        }

        func covers(_ byte: UInt64) -> Bool { first <= byte && byte <= last }
    }
}
