import Testing
import TransferModel

@testable import TransferEngine

@Suite struct FTPFactsReplies {
    private func facts(_ lines: String...) -> FTPFacts {
        var facts = FTPFacts()
        for line in lines { facts.take(Array((line + "\r\n").utf8)) }
        return facts
    }

    @Test func `time and size are told apart by their order`() {
        let both = facts("220 Hello", "213 20240102030405", "200 TYPE", "213 20240102030405")
        #expect(both.modified == "20240102030405")
        #expect(both.size == 20_240_102_030_405)
        #expect(facts("550 no", "213 12").size == 12)
        #expect(facts("213 20240102030405.123", "550 no").size == nil)
    }

    @Test func `only the same time and size let a file be gone on with`() {
        let known = Checkpoint.Validator(lastModified: "20240102030405", total: ByteCount(100))
        let same = facts("213 20240102030405", "213 100")
        #expect(same.allowsResume(at: 50, of: known, hasChecksum: false))
        #expect(!same.allowsResume(at: 100, of: known, hasChecksum: false))
        #expect(!facts("213 20240102030406", "213 100").allowsResume(at: 50, of: known, hasChecksum: true))
        #expect(!facts("213 20240102030405", "213 101").allowsResume(at: 50, of: known, hasChecksum: true))
        #expect(!facts("213 100").allowsResume(at: 50, of: known, hasChecksum: false))
        #expect(facts("213 100").allowsResume(at: 50, of: known, hasChecksum: true))
    }
}
