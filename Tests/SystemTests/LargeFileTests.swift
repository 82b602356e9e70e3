import CLinux
import Glibc
import TestServers
import Testing

extension Whole {
    /// Sizes that no longer fit into 32 bits.
    @Suite struct LargeFileTests {
        @Test(arguments: Scale.pick(quick: [RealServer.Kind.vsftpd], full: RealServer.Kind.possible))
        func `a file beyond 4 GiB arrives whole, in little memory`(kind: RealServer.Kind) async throws {
            let size = Scale.pick(quick: 4 << 30 + 1, full: 5 << 30)
            try await withTemporaryDirectory { directory in
                let server = try await RealServer.start(kind, in: directory)
                let source = directory.appending("large")
                try Sources.makeSparse(source, size: size)
                for offset in marks(size) { try mark(source, at: offset) }
                let installation = try Installation(
                    directory, general: ["source_dirs = \(directory.path)"], sections: server.section())
                try server.writeCredentials(installation)
                let daemon = try await installation.startDaemon()
                let start = ContinuousClock.now
                let job = try await installation.enqueue("upload", source, "\(server.url)/")
                try await installation.expectDone([job], within: .seconds(600))
                Scale.report(
                    "\(size) bytes to \(kind.rawValue): \((ContinuousClock.now - start).inMilliseconds), "
                        + "peak memory \(daemon.peakMemory) KiB")
                #expect(TestFile.size("\(server.home)/large") == size)
                for offset in marks(size) {
                    #expect(read("\(server.home)/large", at: offset) == bytes(at: offset))
                }
                // A debug build's programs and shared libraries alone take half of this.
                #expect(daemon.peakMemory <= 96 << 10)
                try await daemon.sigterm()
            }
        }

        /// Where the source is not zero: at both ends, and around 2 and 4 GiB.
        private func marks(_ size: Int) -> [Int] { [0, (2 << 30) - 4, (4 << 30) - 24, size - 8] }

        private func bytes(at offset: Int) -> [UInt8] {
            withUnsafeBytes(of: (UInt64(offset) | 1 << 63).littleEndian, Array.init)
        }

        private func mark(_ path: String, at offset: Int) throws {
            let fd = transferd_open(path, O_WRONLY | O_CLOEXEC, 0)
            defer { close(fd) }
            guard pwrite(fd, bytes(at: offset), 8, offset) == 8 else {
                throw TestServerError("pwrite \(path): \(String(cString: strerror(errno)))")
            }
        }

        private func read(_ path: String, at offset: Int) -> [UInt8] {
            let fd = transferd_open(path, O_RDONLY | O_CLOEXEC, 0)
            defer { close(fd) }
            var found = [UInt8](repeating: 0, count: 8)
            return pread(fd, &found, 8, offset) == 8 ? found : []
        }
    }
}
