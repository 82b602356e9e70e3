internal import CLinux
internal import Glibc
internal import TransferModel

enum ProcessName {
    /// "process 1234 (sqlite3)", as far as /proc tells.
    static func describe(_ process: Int) -> String {
        if process == Int(getpid()) { return "process \(process) (this one)" }
        guard let path = FilePath("/proc/\(process)/comm"), let name = SystemCalls.contents(of: path) else {
            return "process \(process)"
        }
        return "process \(process) (\(EscapedText.escape(name.prefix { $0 != UInt8(ascii: "\n") })))"
    }
}
