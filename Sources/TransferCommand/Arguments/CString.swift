internal import Glibc

/// Strings that C handed over.
enum CString {
    /// The bytes up to the NUL.
    static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
        UnsafeRawBufferPointer(start: text, count: strlen(text)).map(\.self)
    }
}
