internal import TransferModel

extension RemoteFile {
    /// Whether another question may say more.
    var isOpen: Bool {
        switch self {
        case .present, .unknown: true
        case .size, .absent: false
        }
    }
}

/// What the answer to HEAD says of a file.
enum WebFile {
    /// `path`: what was asked for, to know it by as a directory.
    static func found(_ head: HTTPHead, of path: RemotePath) -> RemoteFile {
        switch head.status {
        case 200...299: size(head)
        case 404, 410: .absent
        case 300...399: isDirectory(head, path) ? .present : .unknown
        case _: .unknown
        }
    }

    /// A length of something compressed is not the file's.
    private static func size(_ head: HTTPHead) -> RemoteFile {
        let isCoded = head.values("content-encoding").contains { $0.lowercased() != "identity" }
        guard head.status == 200, !isCoded, case .length(let length) = BodyFraming(head) else {
            return .present
        }
        return .size(length)
    }

    /// Whether the answer leads to the same name with a slash behind it.
    static func isDirectory(_ head: HTTPHead, _ path: RemotePath) -> Bool {
        guard (300...399).contains(head.status), let location = head.value("location") else { return false }
        let target = location.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard target.last == RemotePath.slash else { return false }
        return target.split(separator: RemotePath.slash).last.map { PercentEncoding.decode($0) }
            == path.names.last
    }
}
