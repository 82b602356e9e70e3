internal import TransferModel

extension WebServer {
    /// MOVE (RFC 4918, section 9.9), when the size is right.
    func move(_ move: RemoteMove, on lane: isolated Lane) async throws -> Moved {
        let doing = "renaming \(move.from) to \(name(move.to))"
        var isVerified = false
        var isCollection = false
        if let size = move.size {
            switch try await find([move.from], on: lane)[0] {
            case .size(size): isVerified = true
            case let found where !found.isOpen: return .wrongSize(found)
            case _: break
            }
        } else {
            isCollection = try await properties(of: move.from, on: lane)?.isCollection == true
        }
        let question = question(move, isCollection, doing)
        do throws(Failure) {
            let answer = try await asked(question, on: lane)
            return judge(answer, move, doing, isVerified)
        } catch {
            // Apache says that where the directory to move to is not there.
            guard error.code == 500, try await lacksDirectory(move.to, on: lane) else { return .lost(error) }
            return .refused(error)
        }
    }

    private func question(_ move: RemoteMove, _ isCollection: Bool, _ doing: String) -> WebQuestion {
        let from = isCollection ? place.address(of: move.from, isCollection: true) : address(of: move.from)
        let to = place.reference(to: move.to, isCollection: isCollection)
        return WebQuestion(
            method: "MOVE", url: from, doing: doing,
            headers: ["Destination: \(to)", "Overwrite: \(move.replaces ? "T" : "F")"], mayRepeat: false)
    }

    /// A failure here means that nobody knows what was done, unless the server said so.
    private func asked(_ question: WebQuestion, on lane: isolated Lane) async throws(Failure) -> WebAnswer {
        do {
            return try await ask(question, on: lane)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.temporary, text: "\(question.doing): \(error)")
        }
    }

    private func judge(_ answer: WebAnswer, _ move: RemoteMove, _ doing: String, _ isVerified: Bool) -> Moved
    {
        switch answer.status {
        case 207: .refused(Failure(.permanent, code: 207, text: "\(doing): the server moved only some of it"))
        case 200...299: .done(isVerified: isVerified)
        case 412 where !move.replaces: .taken
        case 405, 501:
            .refused(
                Failure(
                    .permanent, code: answer.status,
                    text: "\(doing): the server has no MOVE of WebDAV; with 'temp_name = off' none is needed")
            )
        case _: .refused(refusal(answer, doing: doing))
        }
    }
}
