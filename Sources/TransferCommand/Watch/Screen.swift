internal import Glibc

/// A whole screen that is drawn again and again; the person's own comes back with ``leave()``.
///
/// A frame is one write over the last one, each line cleared to its end, so that nothing flickers. Meanwhile the
/// terminal does not echo, so that no key, not even an interrupt's `^C`, is written into the picture.
struct Screen {
    let output: Output
    /// How the terminal was set before; nil where standard input is none.
    private let settings: termios?

    init(output: Output) {
        self.output = output
        var found = termios()
        settings = tcgetattr(STDIN_FILENO, &found) == 0 ? found : nil
    }

    /// The other screen, without a cursor, lines not wrapped.
    func enter() {
        if var silent = settings {
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &silent)
        }
        output.write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J")
        output.flush()
    }

    func leave() {
        output.write("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
        output.flush()
        if var before = settings { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
    }

    func draw(_ lines: [String]) {
        output.write("\u{1b}[H" + lines.map { $0 + "\u{1b}[K" }.joined(separator: "\r\n") + "\u{1b}[J")
        output.flush()
    }
}
