internal import TransferModel

/// Rates from looks at the table, smoothed. The table moves once a second and so do the looks: a look without news
/// says nothing.
struct SpeedMeter {
    private struct Track {
        var offset: ByteCount
        var time: MonotonicTime
        var speed: Double?
    }

    /// After so long without a byte the rate is none.
    static let patience: Duration = .seconds(4)

    private var tracks: [JobID: Track] = [:]

    /// The rate of a running job, nil until two looks differ and when nothing moves any more.
    mutating func speed(of job: Job, at now: MonotonicTime) -> Speed? {
        guard job.state.name == .running else {
            tracks[job.id] = nil
            return nil
        }
        guard var track = tracks[job.id], job.offset >= track.offset else {
            tracks[job.id] = Track(offset: job.offset, time: now)
            return nil
        }
        let elapsed = now.since(track.time)
        if let latest = Speed(moved: job.offset - track.offset, within: elapsed) {
            track.speed = ((track.speed ?? latest.bytesPerSecond) + latest.bytesPerSecond) / 2
            track.offset = job.offset
            track.time = now
        } else if elapsed >= SpeedMeter.patience {
            track.speed = nil
        }
        tracks[job.id] = track
        return track.speed.map(Speed.init(bytesPerSecond:))
    }
}
