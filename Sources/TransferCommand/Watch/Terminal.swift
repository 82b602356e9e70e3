internal import CLinux
internal import Glibc

/// The terminal that standard output is.
enum Terminal {
    /// 80 by 24 where it does not say.
    static func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard transferd_terminal_size(STDOUT_FILENO, &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Whether the locale's encoding is UTF-8, as far as the environment says.
    static var speaksUnicode: Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let value = getenv(name), value.pointee != 0 else { continue }
            let text = String(cString: value).lowercased()
            return text.contains("utf-8") || text.contains("utf8")
        }
        return false
    }
}
