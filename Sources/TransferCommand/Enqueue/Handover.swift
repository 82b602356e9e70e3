internal import TransferModel

/// Gives the daemon a source: in place where it may read it, else as a copy in the intake.
struct Handover {
    private var places: SourcePlaces
    private var hasReadStandardInput = false

    init(_ places: Places) { self.places = SourcePlaces(places.sourceDirectories) }

    /// Standard input can be read once.
    mutating func takeStandardInput() throws(CommandError) {
        guard !hasReadStandardInput else { throw .usage("only one file can be standard input") }
        hasReadStandardInput = true
    }

    /// `isFirst`: nothing of the job's has been copied yet. `size`: of a file that the caller was seen to be able to read.
    mutating func source(
        _ input: Input, size: ByteCount? = nil, as name: FileName, into intake: inout Intake, isFirst: Bool
    ) throws(CommandError) -> (source: SourceFile, size: ByteCount) {
        try Interruption.check()
        switch input {
        case .standardInput:
            try takeStandardInput()
            return try intake.take(
                OpenedInput(standardInput: ()), as: name, display: input.display, isFirst: isFirst)
        case .file(let path):
            if let size, let source = places.inPlace(path, name: name) { return (source, size) }
            // Opened in any case: nobody may have a file sent that they can't read.
            let opened = try OpenedInput(path)
            if let source = places.inPlace(path, name: name) { return (source, opened.size) }
            return try intake.take(opened, as: name, display: input.display, isFirst: isFirst)
        }
    }
}

extension Input {
    /// What the person knows the source by; `-` for standard input, as curl(1) has it.
    func name() throws(CommandError) -> FileName {
        switch self {
        case .standardInput:
            guard let name = FileName("-") else { preconditionFailure("a dash is the name of a file") }
            return name
        case .file(let path):
            guard let name = path.lastComponent else {
                throw .usage("\(display) is not the path of a file")
            }
            return name
        }
    }
}
