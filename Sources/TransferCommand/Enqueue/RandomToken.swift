/// Names that nobody can guess and that never come twice.
enum RandomToken {
    /// 128 random bits as 32 lower case hexadecimal digits.
    static func make() -> String {
        let digits = Array("0123456789abcdef".utf8)
        var token: [UInt8] = []
        token.reserveCapacity(32)
        for _ in 0..<2 {
            let bits = UInt64.random(in: .min ... .max)
            for shift in stride(from: 60, through: 0, by: -4) {
                token.append(digits[Int(bits >> shift & 15)])
            }
        }
        return String(decoding: token, as: UTF8.self)
    }
}
