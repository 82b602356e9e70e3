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
    /// An address, a name or an interface of this machine.
    static var machineAddress: ValueKind {
        ValueKind { text throws(Rejection) in
            let isPlain = text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || ".:%_-".utf8.contains(byte)
            }
            guard isPlain, !text.hasPrefix("-") else {
                throw Rejection(
                    expected: "an address such as 192.0.2.7 or an interface such as eth0", found: text)
            }
            return text
        } write: {
            $0
        }
    }
}
