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
    /// `target`: what was asked for, to know the address of a directory by its slash.
    static func found(_ head: HTTPHead, target: String = "") -> RemoteFile {
        switch head.status {
        case 200...299: size(head)
        case 404, 410: .absent
        case 300...399:
            head.value("location").map { isDirectory($0, of: target) } ?? false ? .present : .unknown
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

    private static func isDirectory(_ location: String, of target: String) -> Bool {
        guard let name = target.prefix(while: { $0 != "?" }).split(separator: "/").last else { return false }
        return location.prefix { $0 != "?" }.hasSuffix("/\(name)/")
    }
}
