/// A whole screen that is drawn again and again; the person's own comes back with ``leave()``.
///
/// A frame is one write over the last one, each line cleared to its end, so that nothing flickers.
struct Screen {
    let output: Output

    /// The other screen, without a cursor, lines not wrapped.
    func enter() {
        output.write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J")
        output.flush()
    }

    func leave() {
        output.write("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
        output.flush()
    }

    func draw(_ lines: [String]) {
        output.write("\u{1b}[H" + lines.map { $0 + "\u{1b}[K" }.joined(separator: "\r\n") + "\u{1b}[J")
        output.flush()
    }
}
