import Glibc
import TestServers
import Testing
import TransferModel

@testable import TransferEngine

/// Small files that are in memory are read by the lane itself, under the rules of all sources.
@Suite struct HotSourceTests {
    private let directory: TemporaryDirectory
    private let root: FilePath

    init() throws {
        directory = try TemporaryDirectory()
        root = try #require(FilePath(directory.path))
        let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY)
        LocalDirectories.note(root, descriptor)
        close(descriptor)
    }

    private func source(_ path: String, _ content: [UInt8]? = nil) throws -> SourceFile {
        if let content { try TestFile.write(content, to: directory.path + "/" + path) }
        let path = try #require(FilePath(path))
        return SourceFile(root: .inPlace(root), path: path, name: try #require(path.lastComponent))
    }

    private func opener() throws -> SourceOpener {
        let state = try #require(FilePath(directory.path + "/state"))
        return SourceOpener(places: Places(below: state))
    }

    private func content(_ buffers: FixedBuffers) -> [UInt8]? {
        var content: [UInt8] = []
        while case .bytes(let bytes) = buffers.content() {
            content += Array(bytes)
            buffers.consumed(bytes.count)
        }
        guard case .end = buffers.content() else { return nil }
        return content
    }

    @Test(arguments: [0, 1, 4_096, 65_536])
    func `a small file that was just written is read at once, whole`(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let hot = try #require(try opener().openHot(source("a", bytes)))
        #expect(hot.identity.size == ByteCount(size))
        #expect(content(hot.buffers) == bytes)
    }

    @Test func `what is large, a link, a directory, a FIFO or not there is left to the disk queue`() throws {
        let opener = try opener()
        #expect(opener.openHot(try source("large", [UInt8](repeating: 1, count: 65_537))) == nil)
        _ = try source("file", [1])
        symlink("file", directory.path + "/link")
        mkfifo(directory.path + "/fifo", 0o600)
        mkdir(directory.path + "/directory", 0o700)
        for name in ["link", "fifo", "directory", "missing", "../\(directory.path)/file"] {
            #expect(opener.openHot(try source(name)) == nil, "\(name)")
        }
    }

    @Test func `nothing is read below a directory that nobody has looked at`() throws {
        let other = try TemporaryDirectory()
        try TestFile.write([1], to: other.path + "/a")
        let root = try #require(FilePath(other.path))
        let name = try #require(FileName("a"))
        let source = SourceFile(root: .inPlace(root), path: FilePath(name), name: name)
        #expect(try opener().openHot(source) == nil)
    }
}
