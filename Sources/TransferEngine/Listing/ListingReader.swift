internal import TransferModel

/// Reads the list of a directory as an FTP server sent it.
enum ListingReader {
    /// What was asked for, which the lines follow.
    enum Form: Hashable, Sendable {
        /// MLSD (RFC 3659, section 7).
        case facts
        /// LIST (RFC 959), whose form is the server's own: that of UNIX's `ls -l` and that of DOS are known.
        case list
    }

    /// The names in `content`; lines that follow no known form are kept as they came.
    ///
    /// `now` tells which year is meant where a line leaves it out.
    static func read(_ content: [UInt8], as form: Form, now: Timestamp) -> RemoteListing {
        var listing = RemoteListing()
        for (index, line) in lines(content).enumerated() where !line.isEmpty {
            let reading: Reading =
                switch form {
                case .facts: FactsLine.read(line)
                case .list where index == 0 && UnixLine.isTotal(line): .nothing
                case .list: UnixLine.read(line, now: now) ?? DOSLine.read(line) ?? .unreadable
                }
            switch reading {
            case .entry(let entry) where entry.isName: listing.entries.append(entry)
            case .entry, .unreadable: listing.unreadable.append(Array(line))
            case .nothing: break
            }
        }
        return listing
    }

    /// What one line says.
    enum Reading: Hashable {
        case entry(RemoteEntry)
        /// The directory itself, the one above it, or no name at all.
        case nothing
        case unreadable
    }

    /// Whether the list ends in the middle of a line: it was cut, whatever the server says.
    static func isCut(_ content: [UInt8]) -> Bool { content.last.map { $0 != 0x0a } ?? false }

    private static func lines(_ content: [UInt8]) -> [ArraySlice<UInt8>] {
        content.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
            line.last == 0x0d ? line.dropLast() : line
        }
    }
}

extension RemoteEntry {
    /// Whether its name is one: a path is not looked up in the directory that was listed.
    fileprivate var isName: Bool { FileName(bytes: name) != nil }

    /// Whether it stands for the directory itself or the one above it.
    static func isDots(_ name: some Sequence<UInt8>) -> Bool {
        name.elementsEqual([0x2e]) || name.elementsEqual([0x2e, 0x2e])
    }
}
