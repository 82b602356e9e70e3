/// Lines of jobs, aligned; columns that nobody needs are left out.
///
/// On a terminal an error has a line of its own under its job, elsewhere it is the last column: one line, one job.
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
        if let width { shrink(&widths, to: width) }
        for row in texts.indices {
            for index in kept.indices {
                let cut =
                    width == nil ? texts[row][index] : DisplayWidth.cut(texts[row][index], to: widths[index])
                texts[row][index] = pad(cut, to: widths[index], right: kept[index].isRight)
            }
        }
        let lines = texts.map { row in
            String(row.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
        guard let width else { return lines }
        return [lines[0]]
            + zip(lines.dropFirst(), jobs).flatMap { line, job in
                job.error.isEmpty ? [line] : [line, DisplayWidth.cut("    " + job.error, to: width)]
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
        ] + (width == nil ? [Column("ERROR", \.error)] : [])
    }

    /// The last column, the place, gets what the terminal has left.
    private func shrink(_ widths: inout [Int], to width: Int) {
        guard let last = widths.indices.last else { return }
        let others = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        widths[last] = min(widths[last], max(0, width - others))
    }

    private func pad(_ text: String, to width: Int, right: Bool) -> String {
        right
            ? String(repeating: " ", count: max(0, width - DisplayWidth.of(text))) + text
            : DisplayWidth.padded(text, to: width)
    }
}
