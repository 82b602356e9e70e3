import TransferModel

extension ValueKind where Value == ProxyAddress {
    /// `SCHEME://HOST[:PORT]`; never repeated in a message, since a password may stand in it.
    static var proxy: ValueKind {
        ValueKind { text throws(Rejection) in
            let names = ProxyAddress.Scheme.allCases.map { "\($0.rawValue)://" }.joined(separator: ", ")
            guard let separator = text.firstRange(of: "://"),
                let scheme = ProxyAddress.Scheme(rawValue: text[..<separator.lowerBound].lowercased())
            else {
                throw Rejection("expected HOST[:PORT] of a proxy after one of \(names)")
            }
            let rest = text[separator.upperBound...]
            let authority = rest.last == "/" ? rest.dropLast() : rest
            guard !authority.contains("@") else {
                throw Rejection(
                    "expected a proxy's address without its login, which stands in the file that 'netrc =' names, "
                        + "as 'machine HOST:PORT login USER password …'")
            }
            guard !authority.contains("/") else {
                throw Rejection("expected SCHEME://HOST[:PORT] of a proxy, without a path")
            }
            // Any scheme would do: the parts of an authority are the same in all of them.
            let origin = try Rejection.checked("ftp://\(authority)").origin
            let afterAddress = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority
            return ProxyAddress(
                scheme: scheme, host: origin.host, port: afterAddress.contains(":") ? origin.port : nil)
        } write: {
            "\($0)"
        }
    }
}

extension ValueKind where Value == String {
    /// An address or an interface of this machine.
    static var machineAddress: ValueKind {
        ValueKind { text throws(Rejection) in
            guard MachineAddress.isPlausible(text[...]) else {
                throw Rejection(
                    expected: "an address such as 192.0.2.7 or an interface such as eth0", found: text)
            }
            return text
        } write: {
            $0
        }
    }

    /// What the server is told in active mode: an address or an interface, and where they are to be few the ports.
    static var activeAddress: ValueKind {
        ValueKind { text throws(Rejection) in
            guard MachineAddress.isActive(text) else {
                throw Rejection(
                    expected: "an address or interface, with ports or without, such as 192.0.2.7, eth0 or "
                        + "192.0.2.7:50000-50100",
                    found: text)
            }
            return text
        } write: {
            $0
        }
    }
}

/// Texts that may name this machine.
private enum MachineAddress {
    /// The characters of addresses and of interfaces, and no port.
    static func isPlausible(_ text: Substring) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || ".:%_-".utf8.contains(byte)
        }
        // One colon parts a port from a name; an address of IPv6 has two at least.
        return isPlain && !text.isEmpty && !text.hasPrefix("-") && text.utf8.count(where: { $0 == 0x3a }) != 1
    }

    /// `NAME`, `NAME:PORT[-PORT]`, where NAME is bracketed when it has colons in it.
    static func isActive(_ text: String) -> Bool {
        if isPlausible(text[...]) { return true }
        guard let colon = text.lastIndex(of: ":") else { return false }
        var name = text[..<colon]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        let ports = text[text.index(after: colon)...].split(separator: "-", omittingEmptySubsequences: false)
        let numbers = ports.compactMap { port in
            port.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(port) : nil
        }
        guard (1...2).contains(ports.count), numbers.count == ports.count else { return false }
        return isPlausible(name) && !numbers.contains(0) && numbers[0] <= numbers[numbers.count - 1]
    }
}
