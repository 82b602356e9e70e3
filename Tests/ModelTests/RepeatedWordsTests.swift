import Testing
import TransferModel

@Suite struct RepeatedWordsTests {
    /// At which of these seconds the words are said.
    private func said(_ troubles: [(second: Int, words: String, subject: Int)]) -> [Int] {
        var words = RepeatedWords<Int>()
        return troubles.filter {
            words.isNews($0.words, of: $0.subject, now: MonotonicTime(rawValue: .seconds($0.second)))
        }.map(\.second)
    }

    @Test func `a trouble that goes on is said once, then when it changes`() {
        #expect(said((0..<360).map { ($0 * 10, "gone", 1) }) == [0])
        #expect(said([(0, "gone", 1), (1, "full", 1), (2, "full", 1), (3, "gone", 1)]) == [0, 1, 3])
        #expect(said([(0, "gone", 1), (1, "gone", 2)]) == [0, 1])
    }

    @Test func `it is said again each hour`() {
        #expect(said((0...1_440).map { ($0 * 10, "gone", 1) }) == [0, 3_600, 7_200, 10_800, 14_400])
    }

    @Test func `when it was over it is news`() {
        var words = RepeatedWords<Int>()
        let time = MonotonicTime(rawValue: .zero)
        let first = words.isNews("gone", of: 1, now: time)
        words.end(1)
        let second = words.isNews("gone", of: 1, now: time)
        #expect(first && second)
    }
}
