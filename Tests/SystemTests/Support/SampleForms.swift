import TestServers

/// Forty forms of the kinds that parsers and senders get wrong.
enum SampleForms {
    typealias Part = ReferenceForm.Part

    static func all(largest: Int) -> [ReferenceForm] {
        let forms = texts + names + files + sizes.map { [file("up", $0, "edge.blob")] } + edges
        return (forms + [[Part("before", "1"), file("up", largest, "large.blob"), Part("after", "2")]])
            .map(ReferenceForm.init)
    }

    private static func file(
        _ name: String, _ size: Int, _ filename: String, type: String = "application/octet-stream"
    ) -> Part {
        Part(name, .pattern(size, seed: UInt8(size % 251)), filename: filename, type: type)
    }

    private static let texts: [[Part]] = [
        [Part("a", "1")],
        [Part("a", ""), Part("b", "")],
        [Part("f[]", "a"), Part("f[]", "b"), Part("between", "x"), Part("f[]", "c")],
        [Part("p[x][y]", "1"), Part("p[x][z]", "2"), Part("p[w]", "3")],
        [
            Part("v", "@/etc/passwd"), Part("w", "<x"), Part("x", "a;type=b"), Part("y", " (x "),
            Part("z", ",\"'\\"),
        ],
        [
            Part("crlf", "two\r\nlines"), Part("lf", "\n\n"), Part("cr", "\r"), Part("end", "x\r\n"),
            Part("tab", "\t"),
        ],
        [Part("utf8", "é 日本 😀 e\u{301}"), Part("nul", "a\u{0}b"), Part("high", "\u{7f}\u{80}\u{ffff}")],
        [Part("line", "--\r\n------------------transferd0\r\n--"), Part("next", "--")],
        [Part("evil", "\r\n--X\r\nContent-Disposition: form-data; name=\"more\"\r\n\r\n1\r\n--X--\r\n")],
        [Part("long", String(repeating: "0123456789abcdef", count: 65_536))],
        (0..<100).map { Part("n\($0)", "\($0)") },
        [
            Part("json", "{\"a\": [1]}", type: "application/json"),
            Part("plain", "x", type: "text/plain;charset=utf-8"),
        ],
    ]

    private static let names: [[Part]] = [
        [Part("qu\"ote", "1"), Part("'single'", "2")], [Part("back\\slash", "1")],
        [Part("100%", "1"), Part("%22", "2"), Part("a%0Ab", "3")],
        [Part("c\rr", "1"), Part("l\nf", "2"), Part("c\r\nrlf: x", "3")],
        [Part("é日本😀", "1"), Part("e\u{301}", "2")],
        [Part("semi;colon=equals:comma,", "1"), Part("<b>&amp;", "2"), Part("(a)", "3")],
        [Part(String(repeating: "n", count: 1000), "1")],
    ]

    private static let files: [[Part]] = [
        [file("up", 0, "empty.blob")],
        [Part("a", "1"), file("up", 0, "one"), Part("b", "2"), file("up2", 0, "two"), Part("c", "3")],
        [file("f[]", 10, "a"), file("f[]", 20, "b"), Part("g[]", "x"), file("f[]", 30, "a")],
        [file("up", 5, "qu\"ote;type=text,x.blob")], [file("up", 5, "a\\b%41 100%.blob")],
        [file("up", 5, "two\r\nlines: x.blob")], [file("up", 5, "é 日本 😀 e\u{301} (1).blob")],
        [file("up", 5, "x.blob", type: "image/svg+xml; charset=utf-8"), file("qu\"ote", 5, "@y,z.blob")],
        [
            Part(
                "up", .bytes(Array("\r\n--\r\n\r\n----\r\n".utf8)), filename: "lines.blob", type: "text/plain"
            )
        ],
    ]

    /// Around libcurl's buffer, one of ours, and all four.
    private static let sizes = [
        65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1_048_575, 1_048_577,
    ]

    /// Bodies of which everything but the last delimiter ends at, before and after the edge of a buffer.
    private static let edges: [[Part]] = [(1, -1), (1, 0), (4, 1)].map { buffers, distance in
        // The boundary has 57 bytes; before the closing one stands a line break.
        let boundary = String(repeating: "-", count: 57)
        let around = ReferenceForm([file("up", 0, "edge.blob")]).body(boundary: boundary).length
        return [file("up", buffers * 262_144 + distance - (around - boundary.utf8.count - 8), "edge.blob")]
    }
}
