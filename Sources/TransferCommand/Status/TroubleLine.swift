internal import TransferModel

/// What `status` says of an origin at which less is tried than is configured.
enum TroubleLine {
    static func text(_ trouble: OriginTrouble, now: Timestamp) -> String {
        let origin = Shown.text(trouble.origin.description)
        let reason = Shown.text(trouble.text)
        switch trouble.effect {
        case .stopped:
            return "\(origin) refused the login, and its jobs wait: \(reason)\n"
                + "    when that is mended: 'systemctl reload transferd', or 'transferctl retry ID' of one of them"
        case .backedOff(let until):
            let time =
                until > now ? "tried again in \(Amount.duration(until.since(now)))" : "being tried again"
            return "\(origin) cannot be used now, \(time): \(reason)"
        case .limited(let lanes):
            let connections = lanes == 1 ? "one connection" : "\(lanes) connections"
            return "\(origin) is used with \(connections) for some time: \(reason)"
        }
    }
}
