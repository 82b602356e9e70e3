import FoundationEssentials
import TestServers
import Testing
import TransferEngine
import TransferModel

/// Files that are stored with PUT.
@Suite struct WebUploadTests {
    @Test func `a file is one PUT of exactly its length, and its size is looked at`() async throws {
        let scene = try WebScene()
        let ended = try await scene.run(70_000)
        #expect(sentences(ended) == ["size 70000 by HEAD"])
        #expect(scene.asked == ["PUT /in.bin", "HEAD /in.bin"])
        let put = try #require(scene.requests("PUT").first)
        #expect(put.bodySHA256 == TestContent.pattern(70_000).sha256 && put.isWhole)
        #expect(put.header("Content-Length") == "70000")
        #expect(put.header("Expect") == nil && put.header("If-None-Match") == nil)
        #expect(put.header("Transfer-Encoding") == nil)
    }

    @Test(arguments: [0, 1, 16_384, 131_072, 262_143, 262_144, 262_145, 3_000_000])
    func `a file of any size arrives whole`(count: Int) async throws {
        let scene = try WebScene()
        #expect(try await scene.run(count).hasArrived)
        #expect(scene.requests("PUT").first?.bodySHA256 == TestContent.pattern(count).sha256)
        #expect(scene.requests("PUT").first?.header("Content-Length") == "\(count)")
    }

    @Test(arguments: [
        "/a%23b%3Fc%2541.bin", "/two%20%20blanks.bin", "/%FF%FE.bin", "//double//slash.bin", "/caf%c3%a9.txt",
        "/a;b=c,d@e:f!$&'()*+.bin", "/v0/b/o/images%2Fa.png",
    ])
    func `an address goes out as it was written`(path: String) async throws {
        let scene = try WebScene()
        #expect(try await scene.run(10, to: path).hasArrived)
        #expect(scene.asked == ["PUT \(path)", "HEAD \(path)"])
    }

    @Test func `a name is encoded once`() throws {
        let url = try TransferURL("https://host/dir/?sig=a%2Fb")
        let name = try #require(FileName(bytes: Array("a #?%41".utf8) + [0xff]))
        #expect(url.appending(name).text == "https://host/dir/a%20%23%3F%2541%FF?sig=a%2Fb")
    }

    // MARK: Presigned addresses

    static let query = "?X-Amz-Credential=AK%2F2026&X-Amz-Signature=aB%2fc+d/e=&x=%7e&empty&n=5"

    @Test func `a signed address is asked for byte for byte, with nothing beside it`() async throws {
        let scene = try WebScene {
            $0.keepsModified = true
            $0.verification = .checksum
        } script: { request, files in
            request.method == "PUT" ? nil : HTTPBehaviour(status: 403)
        }
        let ended = try await scene.run(1_000, to: "/bucket/a%2fb.bin" + Self.query)
        #expect(ended.hasArrived, "\(String(describing: ended.failure))")
        #expect(sentences(ended).contains("not verified: the server does not tell the size of a file"))
        #expect(Set(scene.server.requests.map(\.target)) == ["/bucket/a%2fb.bin" + Self.query])
        #expect(Set(scene.server.requests.map(\.method)) == ["PUT", "HEAD"])
        let names = scene.requests("PUT").first?.headers.map { $0.name.lowercased() } ?? []
        #expect(Set(names).isSubset(of: ["host", "accept", "content-length", "user-agent"]))
    }

    @Test func `what a signed address keeps secret is not told`() async throws {
        let scene = try WebScene { request, _ in HTTPBehaviour(status: 403) }
        let failure = try #require(try await scene.run(10, to: "/b/k" + Self.query).failure)
        #expect(failure.text.contains("/b/k?X-Amz-Credential=…&X-Amz-Signature=…&x=%7e&empty&n=5"))
        #expect(!failure.text.contains("aB%2fc"))
        #expect(failure.class == .permanent && failure.scope == .job)
    }

    @Test func `no directory is made for a signed address`() async throws {
        let scene = try WebScene { _, _ in HTTPBehaviour(status: 404) }
        #expect(try await scene.run(10, to: "/b/k" + Self.query).failure?.code == 404)
        #expect(scene.requests("MKCOL").isEmpty)
    }

    // MARK: Answers

    @Test func `an answer before the body is through is its end`() async throws {
        let scene = try WebScene { request, _ in
            var behaviour = HTTPBehaviour.text("too much", status: 413)
            behaviour.reads = .first(1_000)
            behaviour.ending = .closes
            return behaviour
        }
        let failure = try #require(try await scene.run(8_000_000).failure)
        #expect(failure.class == .permanent && failure.code == 413)
        #expect(failure.reply?.body == Array("too much".utf8))
    }

    @Test func `success before the body is through is none`() async throws {
        let scene = try WebScene { request, _ in
            guard request.method == "PUT", request.index == 0 else { return nil }
            var behaviour = HTTPBehaviour(status: 200)
            behaviour.reads = .first(65_536)
            behaviour.ending = .closes
            return behaviour
        }
        let job = try scene.upload(8_000_000)
        let ended = await scene.rig.run(job)
        #expect(ended.failure?.class == .temporary)
        #expect(await scene.rig.run(scene.rig.next(job, after: ended)).hasArrived)
        #expect(scene.server.connections == 2)
    }

    @Test(arguments: [
        (503, Failure.Class.temporary), (507, .permanent), (429, .temporary), (405, .permanent),
    ])
    func `a refusal means what its number says`(status: Int, meaning: Failure.Class) async throws {
        let scene = try WebScene { _, _ in
            HTTPBehaviour(status: status, headers: [HTTPHeader("Retry-After", "3")])
        }
        let failure = try #require(try await scene.run(10).failure)
        #expect(failure.class == (status == 507 ? .temporary : meaning) && failure.scope == .job)
        #expect(failure.retryAfter == ([503, 429].contains(status) ? .seconds(3) : failure.retryAfter))
    }

    @Test func `a refused login stops that login`() async throws {
        let login = CredentialsTable.Login.credentials(Credentials(user: "u", password: "secret"))
        let scene = try WebScene(login: login) { _, _ in HTTPBehaviour(status: 401) }
        let failure = try #require(try await scene.run(10).failure)
        #expect(failure.class == .permanent && failure.scope == .login)
        #expect(!failure.text.contains("secret"))
    }

    @Test func `a server that stored half of it is not believed`() async throws {
        let scene = try WebScene { request, files in
            guard request.method == "PUT" else { return nil }
            files[request.target] = .init(length: 500)
            return HTTPBehaviour(status: 201)
        }
        let failure = try #require(try await scene.run(1_000).failure)
        #expect(failure.class == .temporary && failure.text.contains("it has 500 of 1000 bytes"))
        #expect(scene.requests("DELETE").isEmpty)
    }

    @Test func `with 'verify = answer' the server is not asked for what it has`() async throws {
        let scene = try WebScene { $0.verification = .answer }
        let ended = try await scene.run(1_000)
        #expect(sentences(ended) == ["nothing verified but the server's answer"])
        #expect(scene.asked == ["PUT /in.bin"])
    }

    // MARK: Sent on

    @Test(arguments: [307, 308]) func `a body is sent on at the same server`(status: Int) async throws {
        let scene = try WebScene { request, _ in
            guard request.target == "/in.bin" else { return nil }
            return HTTPBehaviour(status: status, headers: [HTTPHeader("Location", "/other/place?t=1")])
        }
        #expect(try await scene.run(300_000).hasArrived)
        #expect(scene.asked == ["PUT /in.bin", "PUT /other/place?t=1", "HEAD /other/place?t=1"])
        #expect(scene.requests("PUT").last?.bodySHA256 == TestContent.pattern(300_000).sha256)
    }

    @Test func `a body is not sent on to another server, and neither is the login`() async throws {
        let other = try ScriptedHTTPServer { _ in HTTPBehaviour(status: 201) }
        let target = other.url
        let login = CredentialsTable.Login.credentials(Credentials(user: "u", password: "secret"))
        let scene = try WebScene(login: login) { _, _ in
            HTTPBehaviour(status: 307, headers: [HTTPHeader("Location", "\(target)/in.bin")])
        }
        let failure = try #require(try await scene.run(10).failure)
        #expect(failure.class == .permanent && failure.text.contains("another server"))
        #expect(other.connections == 0)
    }

    @Test(arguments: [301, 302, 303]) func `other redirects are told and not followed`(status: Int)
        async throws
    {
        let scene = try WebScene { _, _ in
            HTTPBehaviour(status: status, headers: [HTTPHeader("Location", "/new")])
        }
        let failure = try #require(try await scene.run(10).failure)
        #expect(failure.class == .permanent && failure.text.contains("/new"))
        #expect(scene.asked == ["PUT /in.bin"])
    }

    @Test func `a server that leads in circles is left`() async throws {
        let scene = try WebScene { _, _ in
            HTTPBehaviour(status: 307, headers: [HTTPHeader("Location", "/in.bin")])
        }
        let failure = try #require(try await scene.run(10).failure)
        #expect(failure.class == .permanent && scene.server.requests.count == 6)
    }

    // MARK: Directories

    @Test func `missing directories are made from the last one that is there`() async throws {
        let scene = try WebScene(directories: ["/", "/a/"])
        #expect(try await scene.run(10, to: "/a/b/c/in.bin").hasArrived)
        #expect(
            scene.asked == [
                "PUT /a/b/c/in.bin", "MKCOL /a/b/c/", "MKCOL /a/b/", "MKCOL /a/b/c/",
                "PUT /a/b/c/in.bin", "HEAD /a/b/c/in.bin",
            ])
    }

    @Test func `a server that stumbles over a missing directory is helped`() async throws {
        let scene = try WebScene(directories: ["/"]) { request, files in
            guard request.method == "PUT" || request.method == "HEAD", request.target.hasPrefix("/a/"),
                !files.directories.contains("/a/")
            else { return nil }
            return HTTPBehaviour(status: request.method == "PUT" ? 500 : 404)
        }
        #expect(try await scene.run(10, to: "/a/in.bin").hasArrived)
        #expect(
            scene.asked == [
                "PUT /a/in.bin", "HEAD /a/", "MKCOL /a/", "PUT /a/in.bin", "HEAD /a/in.bin",
            ])
    }

    @Test func `a directory that another job has made meanwhile is as good`() async throws {
        let scene = try WebScene(directories: ["/"]) { request, files in
            guard request.method == "MKCOL" else { return nil }
            files.add(directory: request.target)
            return HTTPBehaviour(status: 405)
        }
        #expect(try await scene.run(10, to: "/a/in.bin").hasArrived)
    }
}
