import Synchronization

/// The open files of one connection: path by number.
struct SFTPHandles {
    var paths: [UInt32: String] = [:]
    var next: UInt32 = 1
}

/// The files of a scripted SFTP server, and how its requests are answered. Source: draft-ietf-secsh-filexfer-02.
final class SFTPScript: Sendable {
    private struct State {
        var files: [String: [UInt8]] = [:]
        var directories: Set<String> = ["/"]
        var requests: [SFTPRequest] = []
    }

    private let state = Mutex(State())
    private let extensions: [String]
    private let behaviour: @Sendable (SFTPRequest) -> SFTPBehaviour

    init(extensions: [String], behaviour: @escaping @Sendable (SFTPRequest) -> SFTPBehaviour) {
        self.extensions = extensions
        self.behaviour = behaviour
    }

    var files: [String: [UInt8]] { state.withLock { $0.files } }
    var requests: [SFTPRequest] { state.withLock { $0.requests } }

    /// Takes the first whole packet, without its length.
    static func packet(_ input: inout [UInt8]) -> [UInt8]? {
        guard input.count >= 4 else { return nil }
        let length = Int(number(input[..<4]))
        guard input.count >= 4 + length else { return nil }
        defer { input.removeFirst(4 + length) }
        return Array(input[4..<(4 + length)])
    }

    static func number(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    static func string(_ text: some Collection<UInt8>) -> [UInt8] { bytes(UInt32(text.count)) + text }

    private static func packet(_ kind: UInt8, _ fields: [UInt8]) -> [UInt8] { string([kind] + fields) }

    /// The bytes to send, none for silence; nil: the connection ends.
    func answer(_ packet: [UInt8], _ handles: inout SFTPHandles) -> [UInt8]? {
        if packet[0] == 1 {
            return Self.packet(
                2, Self.bytes(3) + extensions.flatMap { Self.string(Array($0.utf8)) + Self.string([0x31]) })
        }
        let id = Array(packet[1..<5])
        var fields = SFTPFields(packet[5...])
        guard let kind = SFTPRequest.Kind(rawValue: packet[0]) else { return Self.status(id, 8) }
        let first = fields.string()
        let isHandle = [.close, .read, .write, .handleStatus, .setHandleStatus, .readDirectory].contains(kind)
        let handle = Self.number(first)
        let path = isHandle ? handles.paths[handle] ?? "" : String(decoding: first, as: UTF8.self)
        let behaviour = behaviour(note(kind, path))
        switch behaviour {
        case .refuses(let code, let text): return Self.status(id, code, text)
        case .silent: return []
        case .disconnects: return nil
        case .right, .doesAndSays, .tells, .halves, .doesAndDisconnects: break
        }
        let answer = carryOut(kind, path, handle, id, &fields, &handles, behaviour)
        switch behaviour {
        case .doesAndSays(let code, let text): return Self.status(id, code, text)
        case .doesAndDisconnects: return nil
        case .right, .tells, .halves, .refuses, .silent, .disconnects: return answer
        }
    }

    private func note(_ kind: SFTPRequest.Kind, _ path: String) -> SFTPRequest {
        state.withLock { state in
            let number = state.requests.count { $0.kind == kind }
            let request = SFTPRequest(kind: kind, path: path, number: number)
            state.requests.append(request)
            return request
        }
    }

    private func carryOut(
        _ kind: SFTPRequest.Kind, _ path: String, _ handle: UInt32, _ id: [UInt8], _ fields: inout SFTPFields,
        _ handles: inout SFTPHandles, _ behaviour: SFTPBehaviour
    ) -> [UInt8] {
        var (halves, told) = (false, UInt64?.none)
        if case .halves = behaviour { halves = true }
        if case .tells(let size) = behaviour { told = size }
        switch kind {
        case .open: return open(path, fields.number(), id, &handles)
        case .close:
            handles.paths[handle] = nil
            return Self.status(id, 0)
        case .read: return read(path, fields.long(), Int(fields.number()), id, halves: halves)
        case .write:
            let offset = Int(fields.long())
            let bytes = Array(fields.string())
            write(path, offset, halves ? Array(bytes.prefix(bytes.count / 2)) : bytes)
            return Self.status(id, 0)
        case .status, .linkStatus, .handleStatus: return attributes(path, id, told: told)
        case .setHandleStatus:
            if fields.number() & 1 != 0 { cut(path, Int(fields.long())) }
            return Self.status(id, 0)
        case .setStatus: return Self.status(id, 0)
        case .remove:
            return Self.status(id, state.withLock { $0.files.removeValue(forKey: path) } == nil ? 2 : 0)
        case .makeDirectory:
            return Self.status(id, state.withLock { $0.directories.insert(path).inserted } ? 0 : 4)
        case .removeDirectory:
            return Self.status(id, state.withLock { $0.directories.remove(path) } == nil ? 2 : 0)
        case .realPath:
            return Self.packet(
                104, id + Self.bytes(1) + Self.string([0x2f]) + Self.string([]) + Self.bytes(0))
        case .rename: return rename(path, fields.text(), id, replaces: false)
        case .extended where path == "posix-rename@openssh.com":
            return rename(fields.text(), fields.text(), id, replaces: true)
        case .extended, .openDirectory, .readDirectory: return Self.status(id, 8)
        }
    }

    private static func status(_ id: [UInt8], _ code: UInt32, _ text: String = "") -> [UInt8] {
        packet(101, id + bytes(code) + string(Array(text.utf8)) + string([]))
    }

    private func open(_ path: String, _ flags: UInt32, _ id: [UInt8], _ handles: inout SFTPHandles) -> [UInt8]
    {
        let isThere = state.withLock { state in
            if flags & 8 != 0, state.files[path] == nil { state.files[path] = [] }
            if flags & 16 != 0 { state.files[path] = [] }
            return state.files[path] != nil
        }
        guard isThere else { return Self.status(id, 2) }
        handles.paths[handles.next] = path
        defer { handles.next += 1 }
        return Self.packet(102, id + Self.string(Self.bytes(handles.next)))
    }

    private func read(_ path: String, _ offset: UInt64, _ count: Int, _ id: [UInt8], halves: Bool) -> [UInt8]
    {
        let file = state.withLock { $0.files[path] ?? [] }
        guard offset < file.count else { return Self.status(id, 1) }
        let piece = file[Int(offset)...].prefix(halves ? max(1, count / 2) : count)
        return Self.packet(103, id + Self.string(piece))
    }

    private func write(_ path: String, _ offset: Int, _ bytes: [UInt8]) {
        state.withLock { state in
            var file = state.files[path] ?? []
            let end = offset + bytes.count
            if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
            file.replaceSubrange(offset..<end, with: bytes)
            state.files[path] = file
        }
    }

    private func cut(_ path: String, _ size: Int) {
        state.withLock { state in
            guard let file = state.files[path], file.count > size else { return }
            state.files[path] = Array(file.prefix(size))
        }
    }

    private func attributes(_ path: String, _ id: [UInt8], told: UInt64?) -> [UInt8] {
        let (file, isDirectory) = state.withLock { ($0.files[path], $0.directories.contains(path)) }
        guard file != nil || isDirectory else { return Self.status(id, 2) }
        let size = told ?? UInt64(file?.count ?? 0)
        let high = Self.bytes(UInt32(size >> 32)) + Self.bytes(UInt32(truncatingIfNeeded: size))
        return Self.packet(105, id + Self.bytes(5) + high + Self.bytes(isDirectory ? 0o40755 : 0o100644))
    }

    private func rename(_ from: String, _ to: String, _ id: [UInt8], replaces: Bool) -> [UInt8] {
        state.withLock { state in
            guard let file = state.files[from] else { return Self.status(id, 2) }
            guard replaces || state.files[to] == nil else { return Self.status(id, 4, "Failure") }
            state.files[from] = nil
            state.files[to] = file
            return Self.status(id, 0)
        }
    }
}

/// The fields of a request, read one after the other; what is missing is empty.
struct SFTPFields {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func number() -> UInt32 {
        defer { rest = rest.dropFirst(4) }
        return SFTPScript.number(rest.prefix(4))
    }

    mutating func long() -> UInt64 {
        let high = number()
        return UInt64(high) << 32 | UInt64(number())
    }

    mutating func string() -> ArraySlice<UInt8> {
        let count = Int(number())
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func text() -> String { String(decoding: string(), as: UTF8.self) }
}
