import CLinux
import Dispatch
import Glibc
import TransferConfiguration
import TransferModel
import TransferStore

/// The program `transferd`.
public enum Program {
    /// Runs until the daemon exits: 0 after SIGTERM, 1 when it cannot run, 2 for a bad command line or configuration.
    public static func main() -> Never {
        let arguments: Arguments
        do throws(UsageError) {
            arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
        } catch {
            leave(2, "\(error)")
        }
        switch arguments.command {
        case .version: print("transferd \(Version.text)")
        case .help: print(Arguments.usage, terminator: "")
        case .checkConfiguration: check(arguments)
        case .run: run(arguments)
        }
        exit(0)
    }

    private static func load(_ arguments: Arguments) throws -> (Settings, CredentialsTable) {
        let environment = ProcessEnvironment.current
        let settings = try Configuration.load(
            configFile: arguments.configuration, stateDirectory: arguments.state, environment: environment)
        return (settings, try CredentialsFile.load(for: settings, environment: environment))
    }

    private static func check(_ arguments: Arguments) {
        do {
            let (settings, _) = try load(arguments)
            let findings = ConfigurationCheck.run(settings, environment: ProcessEnvironment.current)
            for finding in findings { print(finding) }
            if findings.contains(where: \.isError) { exit(2) }
            print(
                "the configuration can be used: \(count(settings.routes.count, "route")), "
                    + count(settings.origins.count, "origin"))
        } catch {
            leave(2, "\(error)")
        }
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    private static func run(_ arguments: Arguments) -> Never {
        signal(SIGPIPE, SIG_IGN)
        // Each lane and each disk queue may have a thread: with an arena for each of them 24 transfers keep 5 MiB more.
        mallopt(M_ARENA_MAX, 2)
        do {
            let (settings, credentials) = try load(arguments)
            ControlActor.enqueue { begin(arguments, settings, credentials) }
        } catch {
            leave(2, "\(error)")
        }
        dispatchMain()
    }

    @ControlActor private static var daemon: Daemon?

    @ControlActor private static func begin(
        _ arguments: Arguments, _ settings: Settings, _ credentials: CredentialsTable
    ) {
        do {
            let log = Log(threshold: settings.general.logLevel)
            let findings = try ConfigurationCheck.prepare(settings, environment: ProcessEnvironment.current)
            for finding in findings { log.write(finding.isError ? 3 : 4, "\(finding)") }
            let table = try JobTable.openForDaemon(settings.places)
            let daemon = Daemon(
                settings: settings, credentials: credentials, table: table, log: log,
                load: { try load(arguments) })
            self.daemon = daemon
            try daemon.start()
        } catch {
            leave(1, "\(error)")
        }
    }

    private static func leave(_ status: Int32, _ sentence: String) -> Never {
        Log(threshold: 7)(.error, sentence)
        exit(status)
    }
}
