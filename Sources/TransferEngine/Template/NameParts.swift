internal import TransferModel

/// A name's extension and what stands before it; a dot at the beginning begins no extension.
struct NameParts: Hashable, Sendable {
    let stem: [UInt8]
    /// Without its dot; empty when there is none.
    let ext: [UInt8]

    init(_ name: [UInt8]) {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot < name.count - 1 else {
            stem = name
            ext = []
            return
        }
        stem = Array(name[..<dot])
        ext = Array(name[(dot + 1)...])
    }

    /// `stem-1.ext` and so on, at most 255 bytes long.
    func numbered(_ number: Int) -> FileName? {
        let tail = Array("-\(number)".utf8) + (ext.isEmpty ? [] : [UInt8(ascii: ".")] + ext)
        return FileName(bytes: TemplateValues.cut(stem, to: 255 - tail.count) + tail)
    }
}
