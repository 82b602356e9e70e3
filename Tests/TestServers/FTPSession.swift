/// One control connection of a scripted FTP server.
struct FTPSession {
    let files: FTPFiles
    let listener: ScriptedListener
    private var directory: [UInt8] = [0x2f]
    private var renamed: [UInt8]?
    private var restart = 0
    private var passive: PassiveListener?
    private let tls: ScriptedTLS?
    /// The control connection goes on over TLS now.
    private(set) var takesUpTLS = false
    private var protectsData = false

    init(files: FTPFiles, listener: ScriptedListener, tls: ScriptedTLS?) {
        self.files = files
        self.listener = listener
        self.tls = tls
    }

    /// Does one command as the behaviour says; false when the connection is to end.
    mutating func perform(
        _ command: FTPCommand, _ behaviour: FTPBehaviour, on control: borrowing ScriptedStream
    ) -> Bool {
        listener.wait(behaviour.delay)
        let done = behaviour.reply ?? execute(command, behaviour, on: control)
        listener.wait(behaviour.finalDelay)
        if behaviour.closes { return false }
        takesUpTLS = tls != nil && command.verb == "AUTH" && (behaviour.finalReply ?? done).hasPrefix("234")
        if !behaviour.isSilent {
            guard control.send((behaviour.finalReply ?? done) + "\r\n") else { return false }
        }
        return command.verb != "QUIT"
    }

    private mutating func execute(
        _ command: FTPCommand, _ behaviour: FTPBehaviour, on control: borrowing ScriptedStream
    ) -> String {
        let path = FTPFiles.resolve(command.argument, from: directory)
        switch command.verb {
        case "CONNECT": return "220 Scripted server ready."
        case "USER": return "331 Any password will do."
        case "PASS": return "230 Logged in."
        case "TYPE", "MODE", "STRU", "OPTS", "NOOP", "ALLO": return "200 Done."
        case "SYST": return "215 UNIX Type: L8"
        case "FEAT":
            return
                "211-Features:\r\n EPSV\r\n MDTM\r\n MLST type*;size*;modify*;\r\n REST STREAM\r\n SIZE\r\n UTF8\r\n211 End"
        case "AUTH" where tls != nil: return "234 Go ahead."
        case "PBSZ" where tls != nil: return "200 Done."
        case "PROT" where tls != nil:
            protectsData = command.text == "P"
            return "200 Done."
        case "QUIT": return "221 Goodbye."
        case "ABOR": return "226 Nothing to abort."
        case "EPSV", "PASV": return openPassive(command.verb, behaviour)
        case "REST":
            restart = Int(command.text) ?? 0
            return "350 Restarting at \(restart)."
        case "STOR", "APPE": return store(path, appends: command.verb == "APPE", behaviour, on: control)
        case "RETR": return retrieve(path, behaviour, on: control)
        case "LIST", "NLST", "MLSD": return list(command, behaviour, on: control)
        default: return executeOnFiles(command, path)
        }
    }

    private mutating func executeOnFiles(_ command: FTPCommand, _ path: [UInt8]) -> String {
        switch command.verb {
        case "SIZE": return files[raw: path].map { "213 \($0.count)" } ?? "550 No such file."
        case "MDTM": return files[raw: path] == nil ? "550 No such file." : "213 20240102030405"
        case "RNFR":
            renamed = files[raw: path] == nil && !files.isDirectory(path) ? nil : path
            return renamed == nil ? "550 No such file." : "350 Ready for RNTO."
        case "RNTO":
            defer { renamed = nil }
            guard let renamed else { return "503 RNFR first." }
            return files.rename(renamed, to: path) ? "250 Renamed." : "550 Rename failed."
        case "DELE": return files.remove(path) ? "250 Deleted." : "550 No such file."
        case "MKD": return files.makeDirectory(path) ? "257 Made." : "550 Exists, or its parent does not."
        case "RMD": return files.removeDirectory(path) ? "250 Removed." : "550 Not an empty directory."
        case "CWD", "CDUP":
            let target = command.verb == "CDUP" ? FTPFiles.resolve([0x2e, 0x2e], from: directory) : path
            guard files.isDirectory(target) else { return "550 No such directory." }
            directory = target
            return "250 Changed."
        case "PWD": return "257 \"\(String(decoding: directory, as: UTF8.self))\" is where you are."
        default: return "502 Not implemented."
        }
    }

    private mutating func openPassive(_ verb: String, _ behaviour: FTPBehaviour) -> String {
        guard let opened = PassiveListener() else { return "425 No port." }
        passive = opened
        guard verb == "PASV" else { return "229 Entering extended passive mode (|||\(opened.port)|)." }
        return
            "227 Entering passive mode (\(behaviour.passiveAddress),\(opened.port >> 8),\(opened.port & 255))."
    }

    /// Greets the data connection; nil when it does not come.
    private mutating func openData(on control: borrowing ScriptedStream) -> Int32? {
        defer { passive = nil }
        guard let passive else { return nil }
        control.send("150 Here it goes.\r\n")
        return passive.accept(until: listener)
    }

    /// Secures the data connection where PROT P asked for it; a refusal as its reply.
    private func secure(_ data: inout ScriptedStream, _ behaviour: FTPBehaviour) -> String? {
        guard protectsData, let tls else { return nil }
        data.tellsEnd = !behaviour.omitsEnd
        guard data.secure(by: tls) else { return "425 TLS did not come about." }
        switch behaviour.sessionRule {
        case .resumed(let refusal) where !data.isResumed: return refusal
        case .new(let refusal) where data.isResumed: return refusal
        case .never(let refusal): return refusal
        case .resumed, .new, nil: return nil
        }
    }

    private mutating func store(
        _ path: [UInt8], appends: Bool, _ behaviour: FTPBehaviour, on control: borrowing ScriptedStream
    ) -> String {
        defer { restart = 0 }
        guard files.hasParent(path), !files.isDirectory(path) else { return "553 No such directory." }
        guard let fd = openData(on: control) else { return "425 No data connection." }
        var data = ScriptedStream(fd: fd, listener: listener)
        listener.watch(fd)
        if let refusal = secure(&data, behaviour) { return refusal }
        let file = files.open(path, keeping: appends ? nil : behaviour.ignoresRestart ? 0 : restart)
        var received = 0
        while true {
            let step = behaviour.bytesPerSecond.map { max(1, $0 / 50) } ?? 1 << 20
            let limit = behaviour.cutsDataAfter.map { $0 - received } ?? .max
            guard limit > 0 else {
                data.resetAtClose()
                return "426 Data connection cut."
            }
            let piece = data.read(atMost: min(step, limit))
            if piece.isEmpty { return "226 Stored." }
            let kept = behaviour.storesAtMost.map { max(0, $0 - received) } ?? .max
            files.append(Array(piece.prefix(kept)), to: file)
            received += piece.count
            if behaviour.bytesPerSecond != nil { listener.wait(.milliseconds(20)) }
        }
    }

    private mutating func retrieve(
        _ path: [UInt8], _ behaviour: FTPBehaviour, on control: borrowing ScriptedStream
    ) -> String {
        defer { restart = 0 }
        guard let content = files[raw: path] else { return "550 No such file." }
        let start = behaviour.ignoresRestart ? 0 : min(restart, content.count)
        return send(Array(content[start...]), behaviour, on: control)
    }

    private mutating func list(
        _ command: FTPCommand, _ behaviour: FTPBehaviour, on control: borrowing ScriptedStream
    ) -> String {
        let named = command.argument.first == UInt8(ascii: "-") ? [] : command.argument
        var text: [UInt8] = []
        for entry in files.entries(of: FTPFiles.resolve(named, from: directory)) {
            switch command.verb {
            case "MLSD":
                let type = entry.isDirectory ? "dir" : "file"
                text += Array("type=\(type);size=\(entry.size);modify=20240102030405; ".utf8)
            case "LIST":
                let mode = entry.isDirectory ? "drwxr-xr-x" : "-rw-r--r--"
                text += Array("\(mode) 1 ftp ftp \(entry.size) Jan 02 2024 ".utf8)
            default: break
            }
            text += entry.name + [0x0d, 0x0a]
        }
        return send(text, behaviour, on: control)
    }

    private mutating func send(
        _ content: [UInt8], _ behaviour: FTPBehaviour, on control: borrowing ScriptedStream
    ) -> String {
        guard let fd = openData(on: control) else { return "425 No data connection." }
        var data = ScriptedStream(fd: fd, listener: listener)
        listener.watch(fd)
        if let refusal = secure(&data, behaviour) { return refusal }
        let end = min(content.count, behaviour.cutsDataAfter ?? .max)
        let isSent = data.send(.bytes(Array(content[..<end])), rate: behaviour.bytesPerSecond)
        return isSent && behaviour.cutsDataAfter == nil ? "226 Sent." : "426 Data connection cut."
    }
}
