internal import CCurl
internal import TransferModel

/// What may help when data connections do not come about.
enum FTPDataAdvice {
    static func sentences(_ failure: Failure, settings: DataConnectionSettings) -> [String] {
        let isSilent = [CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_FTP_ACCEPT_TIMEOUT]
            .contains { failure.curl == Int($0.rawValue) }
        guard isSilent || failure.code == 425 else { return [] }
        switch settings.mode {
        case .passive:
            var sentences = [
                "Data connections to the server do not come about: a firewall has to let its passive ports through; "
                    + "where it does not, 'mode = active' lets the server connect to this machine."
            ]
            if settings.passiveAddress == .control, settings.extended {
                sentences.append("Some firewalls know PASV alone: 'epsv = no' leaves EPSV out.")
            }
            return sentences
        case .active:
            return [
                "The server cannot connect to this machine: 'mode = passive' connects to the server, or "
                    + "'active_address' names the address that it can reach."
            ]
        }
    }
}
