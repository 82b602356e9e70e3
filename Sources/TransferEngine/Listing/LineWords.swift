/// A line in words between blanks, each with its place, so that what follows a word is taken as it stands.
struct LineWords {
    let line: [UInt8]
    private let places: [Range<Int>]

    init(_ line: some Sequence<UInt8>) {
        let bytes = Array(line)
        self.line = bytes
        var places: [Range<Int>] = []
        var start: Int?
        for (index, byte) in bytes.enumerated() {
            if byte == 0x20 || byte == 0x09 {
                if let begun = start { places.append(begun..<index) }
                start = nil
            } else if start == nil {
                start = index
            }
        }
        if let begun = start { places.append(begun..<bytes.count) }
        self.places = places
    }

    var count: Int { places.count }

    subscript(index: Int) -> ArraySlice<UInt8> { places.indices.contains(index) ? line[places[index]] : [] }

    /// The words of a range as they stand, with the blanks between them; nil for none.
    func text(_ range: Range<Int>) -> [UInt8]? {
        guard let first = range.first, let last = range.last, places.indices.contains(last) else {
            return nil
        }
        return Array(line[places[first].lowerBound..<places[last].upperBound])
    }

    /// What follows the word and one blank; nil when nothing does.
    func rest(after index: Int) -> [UInt8]? {
        guard places.indices.contains(index) else { return nil }
        let rest = line[places[index].upperBound...].dropFirst()
        return rest.isEmpty ? nil : Array(rest)
    }
}

extension Int64 {
    /// Reads decimal digits and nothing else; nil for none and for more than fit.
    init?(digits: some Collection<UInt8>) {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(String(decoding: digits, as: UTF8.self))
    }
}
