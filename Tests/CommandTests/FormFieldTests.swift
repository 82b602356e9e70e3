import Testing
import TransferModel

@testable import TransferCommand

@Suite("The value of -F")
struct FormFieldSuite {
    private func field(_ text: String) throws -> FormField { try FormField(Array(text.utf8)) }

    private func sentence(_ text: String) -> String {
        do {
            let field = try FormField(Array(text.utf8))
            Issue.record("taken: \(field)")
            return ""
        } catch { return error.description }
    }

    private func file(_ text: String) throws -> (path: String, type: String?, filename: String?) {
        guard case .file(.file(let path), let type, let filename) = try field(text).content else {
            Issue.record("no file: \(text)")
            return ("", nil, nil)
        }
        return (String(decoding: path.bytes, as: UTF8.self), type, filename?.description)
    }

    @Test(arguments: ["", "b;type=text/plain", "<file", "(x)", "a=b", "\"q\"", " @file", "line\nbreak", "ü"])
    func `a value that does not start with an at sign is data as it stands`(value: String) throws {
        let field = try field("name=\(value)")
        #expect(field.name == "name")
        #expect(field.content == .text(value))
    }

    @Test(arguments: ["@file", "@", "<file", "a;filename=b"])
    func `a value of --form-string is data whatever it holds`(value: String) throws {
        #expect(try FormField(verbatim: Array("n=\(value)".utf8)).content == .text(value))
    }

    @Test func `a name may hold brackets, blanks, quotes and line breaks and ends at the first equals sign`()
        throws
    {
        #expect(try field("f[] \"x\"\r\n=1=2").name == "f[] \"x\"\r\n")
        #expect(try field("=v").name.isEmpty)
    }

    @Test func `a file has a type and a name where they are given`() throws {
        #expect(try file("f=@dir/a b").path == "dir/a b")
        #expect(try file("f=@a").type == nil)
        let whole = try file("f=@a.txt;type=text/plain;filename=b c.txt")
        #expect(whole.path == "a.txt")
        #expect(whole.type == "text/plain")
        #expect(whole.filename == "b c.txt")
        #expect(try file("f=@a; filename=\"x;y,z\"; type=a/b").filename == "x;y,z")
    }

    @Test func `parameters after a type belong to it until a file name comes`() throws {
        let field = try file("f=@a;type=text/html;charset=utf-8;filename=x")
        #expect(field.type == "text/html;charset=utf-8")
        #expect(field.filename == "x")
    }

    @Test func `a quoted file name may hold semicolons, commas, quotes and backslashes`() throws {
        #expect(try file(#"f=@"a;b,c \"d\" \\ \e.txt";type=a/b"#).path == #"a;b,c "d" \ \e.txt"#)
    }

    @Test func `a dash after the at sign is standard input`() throws {
        #expect(try field("f=@-").content == .file(.standardInput, type: nil, filename: nil))
    }

    @Test func `a name that begins with an at sign marks its value as a file`() throws {
        let marked = try field("@up=dir/a;type=text/plain;filename=b")
        #expect(marked.name == "up")
        #expect(
            marked.content
                == .file(
                    .file(try #require(FilePath("dir/a"))), type: "text/plain", filename: FileName("b")))
        #expect(try file("@up=@x").path == "@x")
        #expect(try FormField(verbatim: Array("@up=x".utf8)).name == "@up")
    }

    @Test func `a file may have fields in its part's head and its name encoded too`() throws {
        let field = try field(#"f=@a;headers="X-A: 1;2";filename*=utf-8;headers=X-B: "#)
        #expect(field.headers.map { "\($0.name)=\($0.value)" } == ["X-A=1;2", "X-B="])
        #expect(field.hasEncodedFilename)
    }

    @Test func `file names are bytes, whatever they spell`() throws {
        let field = try FormField(Array("f=@".utf8) + [0xff, 0xfe])
        #expect(
            field.content
                == .file(.file(try #require(FilePath(bytes: [0xff, 0xfe]))), type: nil, filename: nil))
    }

    @Test(arguments: [
        ("novalue", "has no '='"), ("f=@", "names no file"), ("f=@a,b", "comma"),
        ("f=@a;header=x", "only ;type=, ;filename="), ("f=@a;headers=x", "is not 'Name: value'"),
        ("f=@a;headers=Content-Type: x/y", "have ;type= and ;filename="),
        ("f=@a;headers=\"X: a\r\nY: b\"", "is not 'Name: value'"), ("f=@a;filename*=latin1", "takes utf-8"),
        ("@f=", "names no file"), ("f=@\"a", "never closed"),
        ("f=@\"a\"b", "after a closing double quote"), ("f=@a;type=plain", "not a media type"),
        ("f=@a;type=text/pl\rain", "not a media type"), ("f=@a;filename=b/c", "cannot be a file name"),
        ("f=@a;filename=", "cannot be a file name"),
    ])
    func `what is wrong is said in a sentence`(text: String, part: String) {
        #expect(sentence(text).contains(part))
    }

    @Test func `text that is no UTF-8 is refused with what to do instead`() {
        #expect(throws: CommandError.self) { try FormField(Array("f=".utf8) + [0xff]) }
        #expect(throws: CommandError.self) { try FormField([0xff] + Array("=x".utf8)) }
    }
}
