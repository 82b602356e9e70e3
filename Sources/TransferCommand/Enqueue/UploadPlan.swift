internal import TransferModel

/// Which file goes to which address; made, and every file looked at, before the first byte is copied.
struct UploadPlan {
    struct Item: Hashable {
        let input: Input
        let name: FileName
        let url: TransferURL
        /// As the caller could read it; nil for standard input.
        let size: ByteCount?
    }

    let items: [Item]

    /// An address that ends in `/` keeps the file's name, encoded once.
    init(_ inputs: [Input], to url: TransferURL) throws(CommandError) {
        var taken: Set<FileName> = []
        var items: [Item] = []
        for input in inputs {
            let name = try UploadPlan.name(of: input, at: url)
            guard taken.insert(name).inserted else {
                throw .usage(
                    "two of the files are named '\(Shown.bytes(name.bytes))' and would replace each other")
            }
            let address = url.isDirectory ? url.appending(name) : url
            items.append(Item(input: input, name: name, url: address, size: try UploadPlan.size(of: input)))
        }
        self.items = items
    }

    /// Opens the file: nobody may have one sent that they can't read.
    private static func size(of input: Input) throws(CommandError) -> ByteCount? {
        guard case .file(let path) = input else { return nil }
        return try OpenedInput(path).size
    }

    private static func name(of input: Input, at url: TransferURL) throws(CommandError) -> FileName {
        if input == .standardInput {
            guard let name = url.fileName else {
                throw .usage("standard input has no name: give the whole address, up to the name of the file")
            }
            return name
        }
        let name = try input.name()
        guard !url.isDirectory || !name.hasControlBytes else {
            throw .usage(
                "the name of \(input.display) has a control byte in it; give the whole address, "
                    + "up to the name that the file is to have")
        }
        return name
    }
}
