internal import CCurl
internal import TransferModel

extension FTPServer {
    func store(_ parcel: Parcel, on lane: isolated Lane) async throws -> Stored {
        let answer = try await answer(to: parcel, on: lane)
        let isAllHandedOver = answer.sent == parcel.length && answer.bodyFailure == nil
        if answer.error == nil, isAllHandedOver { return .whole }
        let failure = Failure(answer, doing: parcel.doing)
        if answer.refusedCommand(of: parcel) { throw failure }
        if answer.refusedBody { return .refused(failure, mayLackDirectory: answer.mayLackDirectory) }
        guard isAllHandedOver, answer.isLoggedIn, answer.replies.code < 400 else { throw failure }
        return .unconfirmed(failure)
    }

    private func answer(to parcel: Parcel, on lane: isolated Lane) async throws -> Answer {
        if let order = order(parcel), let answer = try await lane.store(order, parcel.body) { return answer }
        return try await lane.perform(storing(parcel))
    }

    /// nil where a small file is not all that there is to it.
    private func order(_ parcel: Parcel) -> StoreOrder? {
        guard case .create = parcel.opening, parcel.type == .image, parcel.commands.isEmpty, parcel.mayRepeat,
            parcel.length <= StoreOrder.longest, limit == nil
        else { return nil }
        return StoreOrder(path: parcel.path.bytes, length: parcel.length)
    }

    private func storing(_ parcel: Parcel) -> Request {
        var request = request(for: parcel.path)
        request.body = parcel.body
        request.mayRepeat = parcel.mayRepeat
        request.commands = parcel.commands
        request.set(.upload, true)
        request.set(.receiveBufferSize, 16_384)
        request.set(.uploadSize, parcel.length)
        let room = min(max(Int(clamping: parcel.length), 16_384), EasyConfiguration.bufferSize)
        request.set(.uploadBufferSize, room)
        switch parcel.opening {
        case .create: break
        case .append: request.set(.append, true)
        // libcurl's own way to resume an upload is APPE.
        case .restart(let offset): request.commandsBeforeData = [Array("REST \(offset)".utf8)]
        }
        request.leavesImageType = parcel.type == .image
        if parcel.type == .ascii {
            request.set(.transferText, true)
            // libcurl does not know of a TYPE I that went as a command, and would leave its own TYPE A out.
            request.commandsBeforeData = [Array("TYPE A".utf8)]
        }
        return request
    }
}

extension Answer {
    /// Whether a command that was to go before the file was refused, not the file.
    fileprivate func refusedCommand(of parcel: Parcel) -> Bool {
        // EPSV, PASV and EPRT, PORT come after the one and before REST.
        failed(CURLE_QUOTE_ERROR) && !parcel.commands.isEmpty
            && !replies.codes.contains { [227, 228, 229].contains($0) }
    }

    /// Whether STOR or APPE was refused for good, or as it is where the directory does not exist.
    fileprivate var refusedBody: Bool {
        guard sent == 0, bodyFailure == nil, error != nil, isLoggedIn else { return false }
        return (500...599).contains(replies.code) || mayLackDirectory
    }

    fileprivate var mayLackDirectory: Bool { [550, 553, 450, 451].contains(replies.code) }
}
