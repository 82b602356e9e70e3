extension JobDescription {
    /// What the job itself wishes of its requests to a web server.
    public var requestWishes: RequestWishes {
        switch self {
        case .form(let form):
            var wishes = form.request ?? RequestWishes()
            if !form.headers.isEmpty { wishes.headers = form.headers + (wishes.headers ?? []) }
            wishes.unknownOutcome = form.unknownOutcome ?? wishes.unknownOutcome
            return wishes
        case .upload(let upload): return upload.request ?? RequestWishes()
        case .download(let download): return download.request ?? RequestWishes()
        case .remote: return RequestWishes()
        }
    }
}

extension Job {
    /// What holds for the job's requests to a web server: its own wishes before its route's before its origin's.
    public func requestWishes(route: RouteSettings?, origin: OriginSettings) -> RequestWishes {
        description.requestWishes.or(route?.request).or(origin.request)
    }

    /// What an outcome that nobody can know means. Only a form has one: everything else can be looked at.
    public func unknownOutcome(route: RouteSettings?, origin: OriginSettings) -> UnknownOutcome {
        switch description {
        case .form: requestWishes(route: route, origin: origin).unknownOutcomePolicy
        case .upload, .download, .remote: .retry
        }
    }
}
