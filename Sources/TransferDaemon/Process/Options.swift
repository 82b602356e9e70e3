import CLinux
import Glibc

/// Long options of a command line, read by getopt_long(3).
struct Options {
    private static let known: [(name: StaticString, takesValue: Bool)] = [
        ("config", true), ("state", true), ("check-config", false), ("version", false), ("help", false),
    ]

    private let words: [String]
    private var index: Int32 = 1

    /// `words` are the arguments after the program's name.
    init(_ words: [String]) { self.words = ["transferd"] + words }

    /// The next option and its value (empty where it takes none); nil at the end.
    mutating func next() throws(UsageError) -> (name: String, value: String)? {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var options = Self.known.enumerated().map { number, option in
            CLinux.option(
                name: UnsafeRawPointer(option.name.utf8Start).assumingMemoryBound(to: CChar.self),
                has_arg: option.takesValue ? 1 : 0, flag: nil, val: Int32(number + 1000))
        }
        options.append(CLinux.option())
        transferd_set_optind(index)
        transferd_set_opterr(0)
        let found = getopt_long(Int32(words.count), &arguments, "+", options, nil)
        let word = Int(transferd_optind()) - 1
        index = transferd_optind()
        switch found {
        case -1:
            guard Int(index) >= words.count else {
                throw UsageError("'\(words[Int(index)])' is not expected here")
            }
            return nil
        case 1000...:
            let option = Self.known[Int(found) - 1000]
            let value = option.takesValue ? transferd_optarg().map { String(cString: $0) } ?? "" : ""
            return ("\(option.name)", value)
        case _:
            throw UsageError(
                "'\(words[min(max(word, 1), words.count - 1)])' is not understood; see transferd --help")
        }
    }
}
