/// Lines of jobs, aligned; columns that nobody needs are left out.
struct StatusTable {
    private struct Column {
        let title: String
        let isRight: Bool
        let text: (JobLine) -> String

        init(_ title: String, right isRight: Bool = false, _ text: @escaping (JobLine) -> String) {
            self.title = title
            self.isRight = isRight
            self.text = text
        }
    }

    /// Columns of the terminal; nil where lines may be of any length.
    let width: Int?
    /// nil: no bars.
    var bar: ProgressBar?

    /// The title and a line for each job; nothing for no jobs.
    func lines(_ jobs: [JobLine]) -> [String] {
        guard !jobs.isEmpty else { return [] }
        let kept = columns.filter { column in jobs.contains { !column.text($0).isEmpty } }
        var texts = [kept.map(\.title)] + jobs.map { job in kept.map { $0.text(job) } }
        var widths = kept.indices.map { index in texts.map { DisplayWidth.of($0[index]) }.max() ?? 0 }
        if let width { shrink(&widths, kept, to: width) }
        for row in texts.indices {
            for index in kept.indices {
                let cut =
                    width == nil ? texts[row][index] : DisplayWidth.cut(texts[row][index], to: widths[index])
                texts[row][index] = pad(cut, to: widths[index], right: kept[index].isRight)
            }
        }
        return texts.map { row in
            String(row.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }

    private var columns: [Column] {
        let bars = bar.map { bar in
            [Column("") { job in job.state == "running" ? bar.text(job.fraction) : "" }]
        }
        return [
            Column("ID", right: true, \.id), Column("STATE", \.state), Column("KIND", \.kind),
        ] + (bars ?? []) + [
            Column("%", right: true, \.percent), Column("DONE/SIZE", right: true, \.progress),
            Column("RATE", right: true, \.rate), Column("LEFT", right: true, \.remaining),
            Column("TRY", right: true, \.attempt), Column("NEXT", \.next), Column("WHERE", \.place),
            Column("ERROR", \.error),
        ]
    }

    /// Takes from the two long columns what the terminal lacks: a long one first, then both.
    private func shrink(_ widths: inout [Int], _ columns: [Column], to width: Int) {
        let long = columns.indices.filter { columns[$0].title == "WHERE" || columns[$0].title == "ERROR" }
        let fixed = columns.indices.filter { !long.contains($0) }.reduce(0) { $0 + widths[$1] }
        var room = width - fixed - 2 * (columns.count - 1)
        for (position, index) in long.enumerated() {
            let share = max(12, room / (long.count - position))
            // A column leaves to the other what it does not need.
            let others = long[(position + 1)...].reduce(0) { $0 + widths[$1] }
            widths[index] = min(widths[index], max(share, room - others))
            room -= widths[index]
        }
    }

    private func pad(_ text: String, to width: Int, right: Bool) -> String {
        right
            ? String(repeating: " ", count: max(0, width - DisplayWidth.of(text))) + text
            : DisplayWidth.padded(text, to: width)
    }
}
