internal import CLinux
internal import Glibc
internal import Synchronization
internal import TransferConfiguration

/// A command line taken apart: options in their order, and everything else.
struct Words: Sendable {
    struct Found: Hashable, Sendable {
        let option: Option
        /// Empty for an option without a value.
        let value: [UInt8]
    }

    let options: [Found]
    let operands: [[UInt8]]

    /// Options may stand anywhere before `--`.
    static let anywhere = ""
    /// Everything from the first operand on is an operand.
    static let beforeOperands = "+"

    /// Reads `words` (without the program's name) as getopt_long(3) does.
    init(_ words: [[UInt8]], options: [Option], order: String = Words.anywhere) throws(CommandError) {
        self = try Words.lock.withLock { _ throws(CommandError) in
            try ArgumentVector(words).read(options, order: order)
        }
    }

    init(options: [Found], operands: [[UInt8]]) {
        self.options = options
        self.operands = operands
    }

    /// getopt(3) keeps its place in global variables.
    private static let lock = Mutex(())
}

/// The arguments as C has them: an array of strings that getopt_long(3) may reorder. The caller holds the lock.
private struct ArgumentVector: ~Copyable {
    private let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ words: [[UInt8]]) {
        let all = [Array("transferctl".utf8)] + words
        pointers = .allocate(capacity: all.count + 1)
        count = all.count
        for (index, word) in all.enumerated() {
            let text = UnsafeMutablePointer<CChar>.allocate(capacity: word.count + 1)
            for (offset, byte) in word.enumerated() { text[offset] = CChar(bitPattern: byte) }
            text[word.count] = 0
            (pointers + index).initialize(to: text)
        }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { pointers[index]?.deallocate() }
        pointers.deallocate()
    }

    func read(_ options: [Option], order: String) throws(CommandError) -> Words {
        let table = LongOptions(options)
        // A leading colon tells a missing value from an unknown option.
        let letters =
            order + ":"
            + options.compactMap { option in option.letter.map { (option, $0) } }
            .map { "\($1)" + ($0.takesValue ? ":" : "") }.joined()
        transferd_set_opterr(0)
        transferd_set_optind(0)
        var found: [Words.Found] = []
        while true {
            let code = getopt_long(Int32(count), pointers, letters, table.pointer, nil)
            if code == -1 { break }
            guard let option = options.first(where: { $0.code == code }) else {
                throw refusal(code, options)
            }
            found.append(Words.Found(option: option, value: option.takesValue ? value() : []))
        }
        var operands: [[UInt8]] = []
        for index in Int(transferd_optind())..<count { operands.append(word(index)) }
        return Words(options: found, operands: operands)
    }

    private func value() -> [UInt8] {
        guard let text = transferd_optarg() else { return [] }
        return CString.bytes(text)
    }

    private func word(_ index: Int) -> [UInt8] {
        guard let text = pointers[index] else { return [] }
        return CString.bytes(text)
    }

    /// What was wrong, after getopt_long(3) returned `?` or `:`.
    private func refusal(_ code: Int32, _ options: [Option]) -> CommandError {
        let culprit = transferd_optopt()
        if let option = options.first(where: { $0.code == culprit }) {
            return code == Int32(UInt8(ascii: ":"))
                ? .usage("\(option.display) needs a value")
                : .usage("--\(option.rawValue) takes no value")
        }
        if culprit != 0, let letter = UnicodeScalar(UInt32(bitPattern: culprit)) {
            return .usage("unknown option '-\(Shown.text(String(letter)))'")
        }
        let written = Shown.bytes(word(Int(transferd_optind()) - 1))
        let name = written.prefix { $0 != "=" }.drop { $0 == "-" }
        let candidates = options.map(\.rawValue)
        if candidates.count(where: { $0.hasPrefix(name) }) > 1 {
            let meant = candidates.filter { $0.hasPrefix(name) }.map { "--\($0)" }.joined(separator: ", ")
            return .usage("'\(written)' may mean any of \(meant)")
        }
        let nearest = NearestName.of(String(name), among: candidates)
        return .usage("unknown option '--\(name)'" + (nearest.map { "; did you mean '--\($0)'?" } ?? ""))
    }
}

/// The table that getopt_long(3) reads.
private struct LongOptions: ~Copyable {
    let pointer: UnsafeMutablePointer<option>
    private let count: Int

    init(_ options: [Option]) {
        count = options.count
        pointer = .allocate(capacity: count + 1)
        for (index, entry) in options.enumerated() {
            (pointer + index).initialize(
                to: option(
                    name: strdup(entry.rawValue), has_arg: entry.takesValue ? 1 : 0, flag: nil,
                    val: entry.code))
        }
        (pointer + count).initialize(to: option())
    }

    deinit {
        for index in 0..<count { free(UnsafeMutablePointer(mutating: pointer[index].name)) }
        pointer.deallocate()
    }
}
