import Glibc
import TransferCommand

exit(Program.run(CommandLine.argc, CommandLine.unsafeArgv))
