internal import TransferModel

/// A time as FTP writes it: YYYYMMDDhhmmss in UTC (RFC 3659, section 2.3).
struct FTPTime: Hashable, Sendable {
    let text: String

    /// nil for a year that has not four digits.
    init?(_ time: Timestamp) {
        let seconds = Int64((Double(time.rawValue) / 1_000).rounded(.down))
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let rest = seconds - day * 86_400
        let (year, month, date) = Self.date(daysSince1970: day)
        guard (1000...9999).contains(year) else { return nil }
        text =
            "\(year)"
            + [month, date, rest / 3_600, rest / 60 % 60, rest % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined()
    }

    /// Of the proleptic Gregorian calendar; years are counted from March, so that the leap day is the last.
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let day = shifted - era * 146_097
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let date = dayOfYear - (153 * month + 2) / 5 + 1
        return (year + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, date)
    }

    /// How servers are told a file's time, the best first.
    enum Way: String, CaseIterable {
        case mfmt, mdtm, utime, utimeOfThree

        var name: String {
            switch self {
            case .mfmt: "MFMT"
            case .mdtm: "MDTM"
            case .utime, .utimeOfThree: "SITE UTIME"
            }
        }

        func command(_ time: FTPTime, _ path: RemotePath) -> [UInt8] {
            switch self {
            case .mfmt, .mdtm, .utime: FTPServer.command("\(name) \(time.text)", path)
            // Access, modification and change, as pure-ftpd and proftpd read it.
            case .utimeOfThree:
                FTPServer.command(name, path)
                    + Array(" \(time.text) \(time.text) \(time.text) UTC".utf8)
            }
        }

        /// A server that only tells times takes MDTM's time for the beginning of a name.
        func isDone(_ reply: ReplyLog.Entry, _ time: FTPTime) -> Bool {
            guard reply.code < 300 else { return false }
            guard self == .mdtm, reply.code == 213 else { return true }
            let text = String(decoding: reply.text, as: UTF8.self)
            return text.contains(time.text) || !text.utf8.prefix(14).allSatisfy { (0x30...0x39).contains($0) }
        }
    }
}
