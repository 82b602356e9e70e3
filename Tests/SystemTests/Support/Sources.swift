import CLinux
import Glibc
import TestServers

/// Files that tests send.
enum Sources {
    /// Makes a file of `size` bytes that takes no room on the disk.
    static func makeSparse(_ path: String, size: Int) throws {
        let fd = transferd_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard fd >= 0 else { throw TestServerError("open \(path): \(String(cString: strerror(errno)))") }
        defer { close(fd) }
        guard ftruncate(fd, size) == 0 else {
            throw TestServerError("ftruncate \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// `count` names of the kinds that programs get wrong, all different.
    static func oddNames(_ count: Int) -> [[UInt8]] {
        (0..<count).map { number in
            let forms: [String] = [
                "plain \(number)", "#\(number)", "\(number)%41", "-rf \(number)", "\(number) two  blanks",
                "é NFC \(number)", "e\u{301} NFD \(number)", "q?uestion=\(number)&x", "\(number);type=a",
                "{a,\(number)}", "back\\slash \(number)", "it's \"\(number)\"", "日本語 \(number)",
                "*[\(number)]",
                "~\(number)", "$HOME \(number)", "|\(number)", "--\(number)", "a:b@\(number)",
                "..\(number) dots",
            ]
            let form = forms[number % forms.count]
            guard number % 41 == 40 else { return Array(form.utf8) }
            return Array("no UTF-8 ".utf8) + [0xe9, 0xfc] + Array(" \(number)".utf8)
        }.map { $0.first == UInt8(ascii: ".") ? [UInt8(ascii: "x")] + $0 : $0 }
    }

    /// The content that belongs to file `number`, different for each.
    static func content(_ number: Int, size: Int = 4096) -> [UInt8] {
        var bytes = TestContent.pattern(size, seed: UInt8(truncatingIfNeeded: number)).bytes
        for (index, byte) in "\(number)\n".utf8.enumerated() where index < bytes.count { bytes[index] = byte }
        return bytes
    }

    /// Drops a file as a careful program does: under a name that is ignored, then renamed.
    static func drop(_ content: [UInt8], named name: [UInt8], into directory: String) throws {
        let temporary = Array("\(directory)/.dropping".utf8)
        try TestFile.write(content, rawPath: temporary)
        let target = Array("\(directory)/".utf8) + name
        let result = rename(cString(temporary), cString(target))
        guard result == 0 else { throw TestServerError("rename: \(String(cString: strerror(errno)))") }
    }

    private static func cString(_ bytes: [UInt8]) -> [CChar] { bytes.map(CChar.init(bitPattern:)) + [0] }
}
