internal import CCrypto

/// How a checksum is computed; the strongest first.
enum ChecksumAlgorithm: String, CaseIterable, Sendable {
    case sha512 = "SHA-512"
    case sha256 = "SHA-256"
    case sha1 = "SHA-1"
    case md5 = "MD5"
    case crc32 = "CRC32"

    /// Digits of the checksum in hexadecimal.
    var digits: Int {
        switch self {
        case .sha512: 128
        case .sha256: 64
        case .sha1: 40
        case .md5: 32
        case .crc32: 8
        }
    }

    /// libcrypto's name for it; nil for what it does not have.
    var digest: OpaquePointer? {
        switch self {
        case .sha512: EVP_sha512()
        case .sha256: EVP_sha256()
        case .sha1: EVP_sha1()
        case .md5: EVP_md5()
        case .crc32: nil
        }
    }
}
