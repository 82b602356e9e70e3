import CLinux
import TransferModel

/// The command line of `transferd`.
struct Arguments {
    enum Command: Equatable {
        case run, checkConfiguration, version, help
    }

    var command = Command.run
    var configuration: FilePath?
    var state: FilePath?

    static let usage = """
        Usage: transferd [--config FILE] [--state DIR] [--check-config]
        Carries files from a spool directory and a job table to where they belong.

          --config FILE    the configuration; else $TRANSFERD_CONFIG, else /etc/transferd/transferd.conf
          --state DIR      keep everything below DIR: DIR/jobs.db, DIR/spool/ROUTE/, DIR/downloads/
          --check-config   test the configuration and every directory, key and CA in it, and exit
          --version        print the version and exit
          --help           print this text and exit

        Signals: SIGTERM stops (transfers go on at the next start), SIGHUP reads the configuration anew.

        """

    /// Reads the arguments after the program's name. Throws a sentence for the person at the keyboard.
    init(_ words: [String]) throws(UsageError) {
        var options = Options(words)
        while let (name, value) = try options.next() {
            switch name {
            case "config": configuration = try Self.path(value, of: name)
            case "state": state = try Self.path(value, of: name)
            case "check-config": command = .checkConfiguration
            case "version": command = .version
            case "help": command = .help
            case _: throw UsageError("unknown option '--\(name)'; see transferd --help")
            }
        }
    }

    private static func path(_ value: String, of name: String) throws(UsageError) -> FilePath {
        guard let path = FilePath(value) else { throw UsageError("--\(name) needs a path") }
        return path
    }
}

/// What is wrong with a command line, as one sentence.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
