/// Every option that a command may have, under its long name.
enum Option: String, CaseIterable, Sendable {
    case config, state, help, version, json
    case from
    case form
    case formString = "form-string"
    case header, unknown
    case output, directory, glob, checksum, segments, mirror
    case checksumURL = "checksum-url"
    case ifNewer = "if-newer"
    case remoteName = "remote-name"
    case option
    case rate
    case priority
    case notBefore = "not-before"
    case expires, label, wait
    case route, origin, limit, all, watch
    case timeout
    case long, parents, write, queue
    case reply, include

    /// The letter after a single dash; nil where there is none.
    var letter: Character? {
        switch self {
        case .form: "F"
        case .output: "o"
        case .directory: "d"
        case .header: "H"
        case .help: "h"
        case .long: "l"
        case .parents: "p"
        case .include: "i"
        case .remoteName: "J"
        case .config, .state, .version, .json, .from, .formString, .unknown, .glob, .checksum, .checksumURL,
            .ifNewer, .mirror, .segments, .rate, .option, .priority, .notBefore, .expires, .label, .wait,
            .route, .origin, .limit, .all, .watch, .timeout, .write, .queue, .reply:
            nil
        }
    }

    var takesValue: Bool {
        switch self {
        case .help, .version, .json, .wait, .all, .watch, .long, .parents, .write, .queue, .reply, .include,
            .ifNewer, .remoteName:
            false
        case .config, .state, .from, .form, .formString, .header, .unknown, .output, .directory, .glob,
            .checksum, .checksumURL, .mirror, .segments, .rate, .option, .priority, .notBefore, .expires,
            .label, .route, .origin, .limit, .timeout:
            true
        }
    }

    /// What getopt_long(3) returns for it: the letter, else a number above all letters.
    var code: Int32 {
        if let letter = letter?.asciiValue { return Int32(letter) }
        return 256 + Int32(Option.allCases.firstIndex(of: self) ?? 0)
    }

    /// As it is written in a message.
    var display: String { letter.map { "-\($0)" } ?? "--\(rawValue)" }

    /// Accepted by every command, before it and after it.
    static let common: [Option] = [.config, .state, .help, .version]
}
