internal import TransferModel

/// Amounts for a person: short, with three digits that mean something.
enum Amount {
    /// `512`, `1.5K`, `10M`, `1.2G`: units of 1024, as in the configuration. Rounded down, so that what is not
    /// complete never looks complete.
    static func size(_ size: ByteCount) -> String {
        let units = ["", "K", "M", "G", "T", "P"]
        var tenths =
            size.rawValue.multipliedReportingOverflow(by: 10).overflow ? Int64.max : size.rawValue * 10
        var unit = 0
        while tenths >= 10_240, unit < units.count - 1 {
            tenths /= 1024
            unit += 1
        }
        guard unit > 0, tenths < 100, tenths % 10 != 0 else { return "\(tenths / 10)\(units[unit])" }
        return "\(tenths / 10).\(tenths % 10)\(units[unit])"
    }

    /// `12s`, `4m`, `1h20m`, `3d4h`: at most two units; seconds only below ten minutes.
    static func duration(_ duration: Duration) -> String {
        let seconds = max(0, duration.wholeMilliseconds / 1000)
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<600: return "\(seconds / 60)m" + unless(zero: seconds % 60, "s")
        case ..<3600: return "\(seconds / 60)m"
        case ..<86_400: return "\(seconds / 3600)h" + unless(zero: seconds % 3600 / 60, "m")
        default: return "\(seconds / 86_400)d" + unless(zero: seconds % 86_400 / 3600, "h")
        }
    }

    /// `40 %` as `40%`; rounded down, so that 100% means all of it. nil while nobody knows the whole.
    static func percent(_ offset: ByteCount, of limit: ByteCount?) -> String? {
        guard let limit, limit.rawValue > 0 else { return nil }
        return "\(Int(min(1, Double(offset.rawValue) / Double(limit.rawValue)) * 100))%"
    }

    private static func unless(zero number: Int64, _ unit: String) -> String {
        number == 0 ? "" : "\(number)\(unit)"
    }
}
