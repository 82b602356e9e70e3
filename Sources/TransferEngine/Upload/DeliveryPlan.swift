internal import TransferModel

/// How one upload is put into place, with nothing left open.
struct DeliveryPlan: Sendable {
    let temporaryName: TemporaryName
    let onConflict: ConflictPolicy
    let verification: Verification
    let resuming: Resuming
    let keepsModified: Bool
    let permissions: Permissions?
    let type: TransferType
    let before: [NameTemplate]
    let afterSent: [NameTemplate]
    let marker: NameTemplate?
    let checksumFile: NameTemplate?

    init(_ wishes: DeliveryWishes, scheme: Scheme) {
        // A web server that stores what is PUT makes it visible when it is whole.
        temporaryName = wishes.temporaryName ?? (scheme.isWeb ? .off : Self.standardName)
        onConflict = wishes.onConflict ?? .replace
        verification = wishes.verification ?? .size
        type = wishes.transferType ?? .image
        // What a server made of line ends cannot be gone on with, and a PUT is of the whole.
        resuming = type == .ascii || scheme.isWeb ? .off : wishes.resuming ?? .append
        keepsModified = wishes.keepsModified ?? false
        permissions = wishes.permissions
        before = wishes.before ?? []
        afterSent = wishes.afterSent ?? []
        marker = wishes.marker
        checksumFile = wishes.checksumFile
    }

    /// Read once: every small upload has it.
    private static let standardName: TemporaryName = {
        guard let name = try? TemporaryName(TemporaryName.standard) else {
            preconditionFailure("the standard name of temporary files is a pattern")
        }
        return name
    }()

    /// Whether anything follows when the file stands under its final name.
    var hasLastSteps: Bool {
        keepsModified || permissions != nil || marker != nil || checksumFile != nil || !afterSent.isEmpty
    }

    /// Whether something that follows tells the SHA-256 of the file.
    var needsSHA256: Bool {
        checksumFile != nil || marker?.contains(.sha256) == true
            || afterSent.contains { $0.contains(.sha256) }
    }

    /// Whether names or commands are made besides the temporary name.
    var hasTemplates: Bool {
        marker != nil || checksumFile != nil || !before.isEmpty || !afterSent.isEmpty
    }

    /// Whether sizes at the server say anything.
    var comparesSize: Bool { type == .image && verification != .answer }
}
