import Synchronization
import TestServers
import Testing
import TransferEngine
import TransferModel

/// Names that are taken, temporary names, and answers that never came.
@Suite struct WebConflictTests {
    @Test(arguments: ["/d/", "/d"])
    func `a directory is not removed as a file, also where there is no PROPFIND`(path: String) async throws {
        let scene = try WebScene { request, _ in
            switch (request.method, request.target) {
            case ("HEAD", "/d"): HTTPBehaviour(status: 301, headers: [HTTPHeader("Location", "http://h/d/")])
            case ("DELETE", _): HTTPBehaviour(status: 204)
            default: nil
            }
        }
        let ended = await scene.rig.run(try scene.rig.remote(.remove, at: scene.server.url + path))
        #expect(ended.failure?.text.contains("is a directory; 'rmdir' removes it") == true, "\(ended)")
        #expect(scene.requests("DELETE").isEmpty)
    }

    @Test func `a name that is taken is kept by the server itself`() async throws {
        let scene = try WebScene {
            $0.onConflict = .fail
        } script: { request, files in
            // Somebody was quicker than our question.
            if request.method == "HEAD", request.index == 0 { return HTTPBehaviour(status: 404) }
            return nil
        }
        scene.files["/in.bin"] = .init(length: 3)
        let failure = try #require(try await scene.run(10).failure)
        #expect(failure.class == .permanent && failure.text.contains("already there"))
        #expect(scene.requests("PUT").first?.header("If-None-Match") == "*")
        #expect(scene.files["/in.bin"]?.length == 3)
    }

    @Test func `a name that is known to be taken costs no body`() async throws {
        let scene = try WebScene { $0.onConflict = .fail }
        scene.files["/in.bin"] = .init(length: 3)
        #expect(try await scene.run(10).failure?.class == .permanent)
        #expect(scene.asked == ["HEAD /in.bin"])
    }

    @Test func `a server that does not tell decides when it stores`() async throws {
        let scene = try WebScene {
            $0.onConflict = .fail
        } script: { request, _ in
            request.method == "HEAD" ? HTTPBehaviour(status: 405) : nil
        }
        scene.files["/in.bin"] = .init(length: 3)
        #expect(try await scene.run(10).failure?.text.contains("already there") == true)
    }

    @Test func `a taken name is left out`() async throws {
        let scene = try WebScene {
            $0.onConflict = .skip
        } script: { request, _ in
            request.method == "HEAD" ? HTTPBehaviour(status: 403) : nil
        }
        scene.files["/in.bin"] = .init(length: 3)
        let ended = try await scene.run(10)
        #expect(sentences(ended).first?.contains("already there") == true)
    }

    @Test func `a taken name is avoided, also when it is taken meanwhile`() async throws {
        let scene = try WebScene {
            $0.onConflict = .rename
        } script: { request, files in
            if request.method == "PUT", request.target == "/in-1.bin" {
                files["/in-1.bin"] = .init(length: 9)
            }
            return nil
        }
        scene.files["/in.bin"] = .init(length: 3)
        let ended = try await scene.run(10)
        #expect(sentences(ended).contains("stored as in-2.bin"))
        #expect(scene.files["/in-2.bin"]?.length == 10)
        #expect(scene.files["/in-1.bin"]?.length == 9)
    }

    // MARK: Temporary names

    static func named(_ wishes: inout DeliveryWishes) throws {
        wishes.temporaryName = try TemporaryName(".{name}.{id}.part")
    }

    @Test func `with a temporary name the file is moved when it is whole`() async throws {
        let scene = try WebScene(Self.named)
        scene.files["/d/in.bin"] = .init(length: 3)
        let ended = try await scene.run(10, to: "/d/in.bin")
        #expect(sentences(ended) == ["size 10 by HEAD"])
        #expect(scene.asked == ["PUT /d/.in.bin.1.part", "HEAD /d/.in.bin.1.part", "MOVE /d/.in.bin.1.part"])
        let move = try #require(scene.requests("MOVE").first)
        #expect(move.header("Overwrite") == "T")
        #expect(move.header("Destination") == "\(scene.server.url)/d/in.bin")
        #expect(scene.files.names == ["/d/in.bin"])
    }

    @Test func `a refused move leaves the old file, and nothing else`() async throws {
        let scene = try WebScene {
            try Self.named(&$0)
            $0.onConflict = .fail
        } script: { request, files in
            if request.method == "MOVE" { files["/in.bin"] = .init(length: 3) }
            return nil
        }
        #expect(try await scene.run(10).failure?.class == .permanent)
        #expect(scene.requests("MOVE").first?.header("Overwrite") == "F")
        try await eventually("the temporary file is gone") { scene.files.names == ["/in.bin"] }
        #expect(scene.files.names == ["/in.bin"] && scene.files["/in.bin"]?.length == 3)
    }

    @Test func `half a file is not moved`() async throws {
        let scene = try WebScene(
            Self.named,
            script: { request, files in
                guard request.method == "PUT" else { return nil }
                files[request.target] = .init(length: 5)
                return HTTPBehaviour(status: 201)
            })
        scene.files["/in.bin"] = .init(length: 3)
        #expect(try await scene.run(10).failure?.class == .temporary)
        #expect(scene.requests("MOVE").isEmpty)
        #expect(scene.files.names == ["/in.bin"])
    }

    @Test func `a server without MOVE says how it can be used`() async throws {
        let scene = try WebScene(
            Self.named,
            script: { request, _ in
                request.method == "MOVE" ? HTTPBehaviour(status: 405) : nil
            })
        let failure = try #require(try await scene.run(10).failure)
        #expect(failure.class == .permanent && failure.text.contains("temp_name = off"))
        await eventuallyEmpty(scene)
    }

    private func eventuallyEmpty(_ scene: WebScene) async {
        try? await eventually("the temporary file is gone") { scene.files.names.isEmpty }
        #expect(scene.files.names.isEmpty)
    }

    @Test func `a move whose answer was lost is seen to be done`() async throws {
        let scene = try WebScene(
            Self.named,
            script: { request, files in
                guard request.method == "MOVE" else { return nil }
                _ = files.answer(request)
                return .resetAfterBody
            })
        #expect(try await scene.run(10).hasArrived)
        #expect(scene.files.names == ["/in.bin"] && scene.requests("PUT").count == 1)
    }

    // MARK: Lost answers

    @Test func `an answer that was lost is made up for by what stands there now`() async throws {
        let scene = try WebScene { request, files in
            switch request.method {
            case "PUT":
                _ = files.put(request)
                files[request.target]?.modified = "Sun, 06 Nov 1994 08:49:39 GMT"
                return .resetAfterBody
            case "HEAD":
                var behaviour = HTTPBehaviour(headers: [
                    HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:39 GMT"),
                    HTTPHeader("Last-Modified", "Sun, 06 Nov 1994 08:49:39 GMT"),
                ])
                behaviour.announces = .falseLength(10)
                return behaviour
            case _: return nil
            }
        }
        // In the second of the question nothing is proven; the next try stores it again.
        #expect(try await scene.run(10).failure?.class == .temporary)
    }

    @Test func `yesterday's file of the same size proves nothing`() async throws {
        let scene = try WebScene { request, _ in
            if request.method == "PUT", request.index == 0 { return .resetAfterBody }
            return nil
        }
        scene.files["/in.bin"] = .init(length: 10, modified: "Sun, 06 Nov 1994 08:49:37 GMT")
        let job = try scene.upload(10)
        let ended = await scene.rig.run(job)
        #expect(ended.failure?.class == .temporary)
        #expect(await scene.rig.run(scene.rig.next(job, after: ended)).hasArrived)
        #expect(scene.requests("PUT").count == 2)
    }

    @Test func `what a try has stored without an answer is no conflict for the next`() async throws {
        let scene = try WebScene {
            $0.onConflict = .fail
        } script: { request, files in
            if request.method == "PUT", files["/in.bin"] == nil {
                _ = files.put(request)
                return .resetAfterBody
            }
            if request.method == "GET" { return HTTPBehaviour.object(.pattern(10), for: request) }
            return nil
        }
        let ended = try await scene.run(10)
        #expect(ended.hasArrived, "\(String(describing: ended.failure))")
        #expect(scene.requests("PUT").count == 2)
    }

    @Test func `another's file of the same size is a conflict`() async throws {
        let scene = try WebScene {
            $0.onConflict = .fail
        } script: { request, files in
            if request.method == "PUT", files["/in.bin"] == nil {
                _ = files.put(request)
                return .resetAfterBody
            }
            if request.method == "GET" { return HTTPBehaviour.object(.pattern(10, seed: 9), for: request) }
            return nil
        }
        #expect(try await scene.run(10).failure?.class == .permanent)
    }

    @Test func `a kept connection that is dead costs nothing`() async throws {
        let scene = try WebScene { request, _ in
            request.index == 2 ? .resetAfterBody : nil
        }
        #expect(try await scene.run(10, to: "/one").hasArrived)
        let second = try await scene.run(10, to: "/two")
        #expect(second.hasArrived, "\(String(describing: second.failure))")
        #expect(scene.requests("PUT").map(\.target) == ["/one", "/two", "/two"])
    }

    // MARK: The source

    @Test(arguments: [true, false])
    func `a source that changes while it is sent breaks the connection`(grows: Bool) async throws {
        let path = Mutex("")
        let scene = try WebScene { _, _ in
            // The body is under way, and waits for this.
            try? TestFile.write(.pattern(grows ? 30_000_000 : 1_000), to: path.withLock { $0 })
            return nil
        }
        let job = try scene.upload(20_000_000)
        path.withLock { $0 = scene.rig.directory.appending("spool/file.bin") }
        #expect(await scene.rig.run(job).failure != nil)
        try await eventually("the connection is gone") { scene.server.openConnections == 0 }
        #expect(scene.requests("PUT").first?.isWhole == false)
    }
}
