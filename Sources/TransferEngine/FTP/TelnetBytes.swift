/// Byte 255 in commands to a server that speaks Telnet on its control connection, to which it begins a command of its own:
/// such a name, as `я` in Windows' Cyrillic, would lose bytes, or have the server wait for more (RFC 854; RFC 959, section
/// 2.3).
enum TelnetBytes {
    private static let command: UInt8 = 255

    static func doubled(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(command) else { return bytes }
        return bytes.flatMap { $0 == command ? [command, command] : [$0] }
    }

    /// In a percent-encoded address.
    static func doubled(_ url: String) -> String {
        guard isIn(url) else { return url }
        return url.replacing("%FF", with: "%FF%FF").replacing("%ff", with: "%FF%FF")
            .replacing("%fF", with: "%FF%FF").replacing("%Ff", with: "%FF%FF")
    }

    fileprivate static func isIn(_ url: String) -> Bool {
        url.utf8.contains(UInt8(ascii: "%")) && url.uppercased().contains("%FF")
    }

    fileprivate static func isIn(_ bytes: [UInt8]) -> Bool { bytes.contains(command) }
}

extension Request {
    /// Whether any of its commands has the byte.
    var hasTelnetBytes: Bool {
        TelnetBytes.isIn(url) || (commands + commandsBeforeData).contains(where: TelnetBytes.isIn)
    }

    var withTelnetBytesDoubled: Request {
        guard hasTelnetBytes else { return self }
        var request = self
        request.url = TelnetBytes.doubled(url)
        request.commands = commands.map(TelnetBytes.doubled)
        request.commandsBeforeData = commandsBeforeData.map(TelnetBytes.doubled)
        return request
    }
}

extension StoreOrder {
    func speakingTelnet(_ telnet: OriginMemory.Telnet) -> StoreOrder {
        switch telnet {
        case .spoken: StoreOrder(path: TelnetBytes.doubled(path), length: length)
        case .plain, .unknown: self
        }
    }
}
