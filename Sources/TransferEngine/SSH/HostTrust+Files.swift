internal import CLinux
internal import Glibc
internal import TransferModel

extension HostTrust {
    /// Reads what is known about an origin. A file that is not there says nothing; one that cannot be read is a failure,
    /// since it may hold what speaks against the server.
    init(_ origin: Origin, _ settings: TrustSettings, _ places: Places) throws(Failure) {
        var hosts = KnownHosts()
        let files = Self.files(settings, places)
        if settings.hostKeys.isEmpty {
            for file in files { try Self.read(file, into: &hosts) }
        }
        host = origin.host
        port = origin.port
        pins = settings.hostKeys
        known = hosts.entries(for: origin.host, port: origin.port)
        self.file = files[0]
    }

    private static let system = FilePath.root.appending("etc/ssh/ssh_known_hosts")

    private static func files(_ settings: TrustSettings, _ places: Places) -> [FilePath] {
        settings.knownHosts.map { [$0] } ?? [places.state.appending("known_hosts"), system]
    }

    private static func read(_ file: FilePath, into hosts: inout KnownHosts) throws(Failure) {
        let descriptor = file.withCString { transferd_open($0, O_RDONLY | O_CLOEXEC, 0) }
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw Failure.system("cannot read '\(file)', which tells whom to trust")
        }
        let open = OpenFile(descriptor: descriptor, path: file)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(open.descriptor, &block, block.count)
            guard count >= 0 else { throw Failure.system("cannot read '\(file)', which tells whom to trust") }
            if count == 0 { break }
            bytes += block[..<count]
        }
        hosts.read(String(decoding: bytes, as: UTF8.self), from: file.description)
    }
}
