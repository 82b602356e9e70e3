// swift-tools-version: 6.2
import PackageDescription

/// One list of settings for every target: the compiler checks isolation, imports and existentials, and a warning
/// fails the build.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Small jobs cost about a tenth less so.
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "transferd",
    products: [
        .executable(name: "transferd", targets: ["transferd"]),
        .executable(name: "transferctl", targets: ["transferctl"]),
    ],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd"),
        .systemLibrary(name: "CCrypto", pkgConfig: "openssl"),
        .systemLibrary(name: "CSSH", pkgConfig: "libssh"),
        .systemLibrary(name: "CInih", pkgConfig: "inih"),
        .systemLibrary(name: "CLinux"),

        library("TransferModel"),
        library("TransferConfiguration", ["TransferModel", "CInih", "CLinux"]),
        library("TransferStore", ["TransferModel", "CSQLite", "CLinux"]),
        library("TransferEngine", ["TransferModel", "CCurl", "CCrypto", "CSSH", "CLinux"]),
        library("TransferSpool", ["TransferModel", "CLinux"]),
        library(
            "TransferDaemon",
            [
                "TransferModel", "TransferConfiguration", "TransferStore", "TransferEngine", "TransferSpool",
                "CSystemd", "CLinux",
            ]),
        program("transferd", ["TransferDaemon"]),
        library("TransferCommand", ["TransferModel", "TransferConfiguration", "TransferStore", "CLinux"]),
        program("transferctl", ["TransferCommand"]),

        .systemLibrary(name: "CTLS", path: "Tests/CTLS", pkgConfig: "libssl"),
        .target(
            name: "TestServers", dependencies: ["CLinux", "CCrypto", "CSSH", "CTLS"],
            path: "Tests/TestServers",
            swiftSettings: settings),
        tests("ModelTests", ["TransferModel"]),
        tests("ConfigurationTests", ["TransferConfiguration", "TransferModel", "TestServers"]),
        tests("StoreTests", ["TransferStore", "TransferModel", "TestServers"]),
        tests("EngineTests", ["TransferEngine", "TransferModel", "TestServers", "CCurl"]),
        tests("SpoolTests", ["TransferSpool", "TransferModel", "TestServers"]),
        tests(
            "CommandTests",
            ["TransferCommand", "TransferConfiguration", "TransferModel", "TransferStore", "TestServers"]),
        tests(
            "SystemTests",
            ["TestServers", "TransferModel", "TransferStore", "CLinux", "transferd", "transferctl"]),
    ]
)
