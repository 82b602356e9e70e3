internal import TransferModel

extension Lane {
    /// What the job that runs sends, at its rates.
    func rated(_ source: any BodySource) -> any BodySource { RatedSource(source, ratedBody) }

    /// What comes for the job that runs, at its rates.
    func rated(_ sink: any BodySink) -> any BodySink { RatedSink(sink, ratedBody) }

    private var ratedBody: RatedBody {
        RatedBody(assignment?.rates ?? Rates()) { wait in
            self.setAlarm(.rate, after: wait) { self.resume() }
        }
    }
}
