internal import TransferModel

extension Checksum {
    var computed: ChecksumAlgorithm {
        switch algorithm {
        case .sha512: .sha512
        case .sha256: .sha256
        case .sha1: .sha1
        case .md5: .md5
        }
    }
}
