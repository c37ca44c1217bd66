// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

// How often batches run each function, for the modules that they run most; see Packaging/profile-data. Only the Makefile and
// Packaging set the variable, as SwiftPM refuses a dependency with such flags.
let profiled: [SwiftSetting] =
    switch Context.environment["PAYLOADGEN_PROFILE"] {
    case nil, "": []
    case let profile?:
        // Names of private functions begin with the folder of the build, which is not in the profile.
        [
            .unsafeFlags([
                "-Xfrontend", "-ir-profile-use=\(profile)", "-Xllvm", "-static-func-strip-dirname-prefix=99",
            ])
        ]
    }

func library(_ name: String, _ dependencies: [Target.Dependency] = [], runsInBatches: Bool = false) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + (runsInBatches ? profiled : []))
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["PayloadgenTestSupport"],
        exclude: exclude,
        swiftSettings: strict
    )
}

// Only the command parses arguments: without the trait SwiftPM does not even resolve the package.
let arguments = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser",
    condition: .when(traits: ["Command"])
)

// CryptoKit computes digests on Apple's systems.
let digests = Target.Dependency.target(
    name: "CMessageDigests",
    condition: .when(platforms: [.linux], traits: ["Digests"])
)

// The reader of Swift; swift-syntax takes longer to build than all the rest.
let swiftSyntax = ["SwiftParser", "SwiftSyntax"].map { name in
    Target.Dependency.product(name: name, package: "swift-syntax", condition: .when(traits: ["SwiftSources"]))
}

// For each plugin in its own package SwiftPM builds the command and all of its dependencies a second time, even if
// nothing runs the plugin. The Makefile leaves them out, which halves a build of everything.
let hasPlugins = Context.environment["PAYLOADGEN_WITHOUT_PLUGINS"] == nil

let pluginProducts: [Product] = [
    .plugin(name: "RunPayloadgen", targets: ["RunPayloadgen"]),
    .plugin(name: "LintCampaigns", targets: ["LintCampaigns"]),
]

let plugins: [Target] = [
    .plugin(
        name: "RunPayloadgen",
        capability: .command(
            intent: .custom(verb: "payloadgen", description: "Lint, render and test Braze campaigns for iOS.")
        ),
        dependencies: ["payloadgen"]
    ),
    .plugin(name: "LintCampaigns", capability: .buildTool(), dependencies: ["payloadgen"]),
]

let package = Package(
    name: "payloadgen",
    platforms: [.macOS(.v12), .iOS(.v15)],
    products: [
        .executable(name: "payloadgen", targets: ["payloadgen"]),
        .library(name: "PayloadKit", targets: ["PayloadKit"]),
        .library(name: "LiquidTemplates", targets: ["LiquidTemplates"]),
        .library(name: "BrazeLiquid", targets: ["BrazeLiquid"]),
        .library(name: "PayloadLinting", targets: ["PayloadLinting"]),
        .library(name: "ExtensionAnalytics", targets: ["ExtensionAnalytics"]),
        .library(name: "InAppMessages", targets: ["InAppMessages"]),
        .library(name: "InAppScenarios", targets: ["InAppScenarios"]),
    ] + (hasPlugins ? pluginProducts : []),
    traits: [
        .default(enabledTraits: ["Command", "Digests"]),
        .trait(name: "Command", description: "The command and the plugins; brings swift-argument-parser."),
        .trait(
            name: "Digests",
            description: "The hash filters of BrazeLiquid where CryptoKit is missing, as on Linux; links libmd."
        ),
        .trait(
            name: "SwiftSources",
            description: "Reads which key-value pairs the Swift code of an app reads; brings swift-syntax."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/attaswift/BigInt", from: "6.0.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
    ],
    targets: [
        library("PlatformLibc"),
        library("POSIXFiles", ["PlatformLibc"]),
        library("DiagnosticSources", ["PlatformLibc"], runsInBatches: true),
        library("ScalarTexts", ["DiagnosticSources"], runsInBatches: true),
        .target(name: "CJSONMarks"),
        library("JSONTexts", ["CJSONMarks", "DiagnosticSources", "ScalarTexts"], runsInBatches: true),
        library("BinaryPlists", ["DiagnosticSources"]),
        library(
            "LiquidTemplates",
            [
                "JSONTexts", "DiagnosticSources", "PlatformLibc", "ScalarTexts",
                .product(name: "BigInt", package: "BigInt"),
            ],
            runsInBatches: true
        ),
        .systemLibrary(name: "CMessageDigests", pkgConfig: "libmd", providers: [.apt(["libmd-dev"])]),
        library("MessageDigests", [digests]),
        library(
            "BrazeLiquid",
            ["JSONTexts", "LiquidTemplates", "MessageDigests", "DiagnosticSources", "ScalarTexts"],
            runsInBatches: true
        ),
        .systemLibrary(
            name: "CPlistLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]
        ),
        .target(name: "CPlistXML", dependencies: ["CPlistLibXML2"]),
        library("PlistDocuments", ["BinaryPlists", "CPlistXML", "DiagnosticSources", "ScalarTexts"]),
        .systemLibrary(name: "CArchiveZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        library("CompressedInputs", ["CArchiveZlib", "POSIXFiles"]),
        library("TextPatterns"),
        // DocumentFormats imports CYaml: libyaml, of which the product Yams is made.
        library(
            "DocumentFormats",
            ["JSONTexts", "DiagnosticSources", "ScalarTexts", .product(name: "Yams", package: "Yams")]
        ),
        library("LiquidDocumentValues", ["DocumentFormats", "LiquidTemplates"]),
        library("AppDeclarations", ["DiagnosticSources", "POSIXFiles"]),
        library(
            "CampaignRendering",
            [
                "AppDeclarations", "BrazeLiquid", "DiagnosticSources", "DocumentFormats", "JSONTexts",
                "LiquidDocumentValues", "LiquidTemplates", "POSIXFiles", "PlatformLibc", "ScalarTexts", "TextPatterns",
            ],
            runsInBatches: true
        ),
        library("SwiftSources", ["AppDeclarations", "DiagnosticSources", "POSIXFiles"] + swiftSyntax),
        library(
            "AppBundles",
            [
                "AppDeclarations", "DiagnosticSources", "DocumentFormats", "POSIXFiles", "PlistDocuments",
                "SwiftSources",
            ]
        ),
        library(
            "PayloadKit",
            [
                "AppBundles", "AppDeclarations", "BrazeLiquid", "CampaignRendering", "DiagnosticSources",
                "DocumentFormats", "JSONTexts", "LiquidTemplates", "POSIXFiles", "PlistDocuments",
            ]
        ),
        library("InAppMessages", ["BrazeLiquid", "LiquidTemplates", "TextPatterns"]),
        library(
            "InAppScenarios",
            [
                "InAppMessages", "BrazeLiquid", "LiquidTemplates", "DocumentFormats", "LiquidDocumentValues",
                "POSIXFiles", "JSONTexts", "DiagnosticSources",
            ]
        ),
        library(
            "PayloadLinting",
            [
                "PayloadKit", "AppDeclarations", "BrazeLiquid", "LiquidTemplates", "AppBundles", "DocumentFormats",
                "LiquidDocumentValues", "POSIXFiles", "JSONTexts", "PlatformLibc", "PlistDocuments",
                "DiagnosticSources", "ScalarTexts", "InAppScenarios",
            ]
        ),
        library("SystemCurl"),
        library(
            "BrazeWorkspaces",
            [
                "PayloadKit", "AppDeclarations", "DocumentFormats", "POSIXFiles", "JSONTexts", "PlatformLibc",
                "DiagnosticSources", "SystemCurl",
            ]
        ),
        library("FindingReports", ["JSONTexts", "DiagnosticSources"]),
        // The page's sources are files of their own; they are part of the program, which stays one file.
        .target(
            name: "CampaignPreview",
            dependencies: [
                "AppBundles", "AppDeclarations", "DocumentFormats", "POSIXFiles", "JSONTexts", "PayloadLinting",
                "MessageDigests",
                "PayloadKit", "FindingReports", "DiagnosticSources", "ScalarTexts", "SystemCurl",
            ],
            resources: [.embedInCode("Page")],
            swiftSettings: strict
        ),
        library(
            "CampaignLanguageServer",
            [
                "AppDeclarations", "BrazeLiquid", "DiagnosticSources", "DocumentFormats", "InAppScenarios", "JSONTexts",
                "LiquidTemplates", "PayloadKit", "PayloadLinting", "PlatformLibc", "POSIXFiles",
            ]
        ),
        library(
            "ExtensionAnalytics", ["BinaryPlists", "POSIXFiles", "JSONTexts", "DiagnosticSources", "ScalarTexts"]),
        library(
            "PayloadgenCommands",
            [
                "PayloadKit", "AppBundles", "AppDeclarations", "BrazeLiquid", "LiquidTemplates", "CompressedInputs",
                "DocumentFormats",
                "POSIXFiles", "PayloadLinting", "BrazeWorkspaces", "CampaignLanguageServer", "ExtensionAnalytics",
                "InAppMessages", "InAppScenarios", "JSONTexts", "CampaignPreview", "PlistDocuments", "FindingReports",
                "DiagnosticSources", "SwiftSources", arguments,
            ]
        ),
        .executableTarget(name: "payloadgen", dependencies: ["PayloadgenCommands"], swiftSettings: strict),
        // This example is a package of its own; here it is built once more, so that tests can run it.
        .executableTarget(
            name: "RenderCampaigns",
            dependencies: ["PayloadKit"],
            path: "examples/library/Sources/RenderCampaigns"
        ),
        .target(
            name: "PayloadgenTestData", dependencies: ["CArchiveZlib"], path: "Tests/PayloadgenTestData",
            swiftSettings: strict),
        .target(
            name: "PayloadgenTestSupport",
            dependencies: ["DiagnosticSources", "SwiftSources", "PayloadgenTestData"],
            path: "Tests/PayloadgenTestSupport",
            swiftSettings: strict
        ),
        // Compiled templates as text, for tests; a release build leaves it empty.
        .target(
            name: "LiquidProgramListings",
            dependencies: ["LiquidTemplates", "DiagnosticSources"],
            path: "Tests/LiquidProgramListings",
            swiftSettings: strict
        ),
        // What the extensions of the sample app do without UIKit.
        .target(
            name: "BookDemoExtensions",
            dependencies: ["ExtensionAnalytics"],
            path: "examples/BookDemo",
            exclude: ["BookDemo", "NotificationService"]
                + ["LabProgress", "LabRegister", "MatchGame"].flatMap { name in
                    ["\(name).entitlements", "Info.plist", "NotificationViewController.swift", "payloadgen.extras.yml"]
                        .map { "\(name)/\($0)" }
                },
            swiftSettings: strict
        ),
        tests("POSIXFilesTests", ["POSIXFiles"]),
        tests("DiagnosticSourcesTests", ["DiagnosticSources"]),
        tests("ScalarTextsTests", ["ScalarTexts"]),
        tests("MessageDigestsTests", ["MessageDigests", "DiagnosticSources"]),
        tests("JSONTextsTests", ["JSONTexts", "DiagnosticSources"]),
        tests("FindingReportsTests", ["JSONTexts", "FindingReports", "DiagnosticSources"], exclude: ["Snapshots"]),
        tests("CampaignPreviewTests", ["POSIXFiles", "PayloadKit", "CampaignPreview", "FindingReports"]),
        tests(
            "PayloadKitTests",
            [
                "PayloadKit", "AppDeclarations", "CampaignRendering", "DocumentFormats", "LiquidDocumentValues",
                "JSONTexts", "LiquidTemplates", "DiagnosticSources",
            ],
            exclude: ["Snapshots"]
        ),
        tests(
            "LiquidTemplatesTests",
            [
                "LiquidProgramListings", "JSONTexts", "LiquidTemplates", "DiagnosticSources", "ScalarTexts",
                .product(name: "BigInt", package: "BigInt"), .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Fixtures"]
        ),
        // A process that the tests of the store start and kill.
        .executableTarget(
            name: "PendingStoreProcess",
            dependencies: ["ExtensionAnalytics"],
            path: "Tests/PendingStoreProcess",
            swiftSettings: strict
        ),
        // The engine for suites of other projects and for benchmarks; `make differential`, `make bench-peers`.
        .executableTarget(
            name: "liquid-server",
            dependencies: ["JSONTexts", "LiquidTemplates", "MessageDigests", "DiagnosticSources"],
            path: "Tests/LiquidServer",
            swiftSettings: strict
        ),
        // Mutated inputs for every reader of the command, in processes with limits; `make fuzz`.
        .executableTarget(
            name: "payloadgen-fuzz",
            dependencies: [
                "CampaignLanguageServer", "PayloadgenCommands", "PayloadKit", "PayloadLinting", "LiquidTemplates",
                "PayloadgenTestData", arguments,
            ],
            path: "Tests/Fuzz",
            exclude: ["Found"],
            swiftSettings: strict
        ),
        tests(
            "ExtensionAnalyticsTests",
            ["ExtensionAnalytics", "BinaryPlists", "JSONTexts", "DiagnosticSources", "PendingStoreProcess"]),
        tests("ExamplesTests", ["RenderCampaigns", "BookDemoExtensions", "ExtensionAnalytics"]),
        tests("InAppMessagesTests", ["InAppMessages", "BrazeLiquid", "LiquidTemplates"]),
        tests("InAppScenariosTests", ["InAppScenarios"]),
        tests(
            "BrazeLiquidTests", ["LiquidProgramListings", "BrazeLiquid", "LiquidTemplates", "DiagnosticSources"],
            exclude: ["Hostile", "Snapshots"]),
        tests(
            "PayloadgenCommandsTests",
            [
                "payloadgen", "payloadgen-fuzz", "PayloadgenCommands", "DocumentFormats", "InAppScenarios",
                "PayloadLinting",
                "ExtensionAnalytics", "LiquidTemplates", "PayloadKit", arguments,
            ],
            exclude: ["Fixtures", "Snapshots"]
        ),
        tests(
            "DocumentationTests",
            [
                "payloadgen", "PayloadgenCommands", "PayloadKit", "PayloadLinting", "DocumentFormats",
                "DiagnosticSources", "LiquidTemplates", "InAppMessages", "ExtensionAnalytics", arguments,
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        tests(
            "CampaignLanguageServerTests",
            ["CampaignLanguageServer", "DiagnosticSources", "JSONTexts", "PayloadLinting", "POSIXFiles"]),
        tests(
            "SwiftSourcesTests", ["AppDeclarations", "SwiftSources", "DiagnosticSources"],
            exclude: ["Fixtures", "Snapshots"]),
        tests("PlistDocumentsTests", ["BinaryPlists", "PlistDocuments", "DiagnosticSources"]),
        tests(
            "PayloadLintingTests",
            [
                "PayloadLinting", "AppBundles", "AppDeclarations", "JSONTexts", "PayloadKit", "PlistDocuments",
                "DiagnosticSources",
                "SwiftSources",
            ],
            exclude: ["Situations.md", "Snapshots"]
        ),
        tests("CompressedInputsTests", ["CompressedInputs"]),
        tests("BrazeWorkspacesTests", ["BrazeWorkspaces", "DiagnosticSources", "POSIXFiles", "PayloadKit"]),
        tests(
            "AppBundlesTests",
            ["AppBundles", "AppDeclarations", "PayloadKit", "PlistDocuments", "DiagnosticSources"]),
    ] + (hasPlugins ? plugins : [])
)
