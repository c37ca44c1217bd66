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
        dependencies: dependencies + ["TestSupport"],
        exclude: exclude,
        swiftSettings: strict
    )
}

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

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
        .library(name: "Liquid", targets: ["Liquid"]),
        .library(name: "BrazeLiquid", targets: ["BrazeLiquid"]),
        .library(name: "Linting", targets: ["Linting"]),
        .library(name: "Analytics", targets: ["Analytics"]),
        .library(name: "InAppMessages", targets: ["InAppMessages"]),
        .library(name: "InAppScenarios", targets: ["InAppScenarios"]),
    ] + (hasPlugins ? pluginProducts : []),
    traits: [
        .default(enabledTraits: ["Digests"]),
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
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "603.0.1"..<"604.0.0"),
    ],
    targets: [
        library("Files"),
        library("SourceText", runsInBatches: true),
        .systemLibrary(name: "CBytes"),
        library("JSON", ["CBytes", "SourceText"], runsInBatches: true),
        library("BinaryPlists", ["SourceText"]),
        library(
            "Liquid",
            ["JSON", "SourceText", .product(name: "BigInt", package: "BigInt")],
            runsInBatches: true
        ),
        .systemLibrary(name: "CMessageDigests", pkgConfig: "libmd", providers: [.apt(["libmd-dev"])]),
        library("MessageDigests", [digests]),
        library("BrazeLiquid", ["JSON", "Liquid", "MessageDigests", "SourceText"], runsInBatches: true),
        .systemLibrary(
            name: "CLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]
        ),
        .target(name: "CXML", dependencies: ["CLibXML2"]),
        library("PropertyLists", ["BinaryPlists", "CXML", "SourceText"]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        library("Archives", ["CZlib"]),
        library("TextPatterns"),
        // Documents imports CYaml: libyaml, of which the product Yams is made.
        library("Documents", ["JSON", "Liquid", "SourceText", .product(name: "Yams", package: "Yams")]),
        library("SwiftSources", ["Files", "SourceText"] + swiftSyntax),
        library("AppBundles", ["CXML", "Documents", "Files", "PropertyLists", "SourceText", "SwiftSources"]),
        library(
            "PayloadKit",
            [
                "BrazeLiquid", "Liquid", "AppBundles", "Documents", "Files", "JSON", "PropertyLists", "SourceText",
                "SwiftSources", "TextPatterns",
            ],
            runsInBatches: true
        ),
        library("InAppMessages", ["BrazeLiquid", "Liquid", "TextPatterns"]),
        library(
            "InAppScenarios",
            ["InAppMessages", "BrazeLiquid", "Liquid", "Documents", "Files", "JSON", "SourceText"]
        ),
        library(
            "Linting",
            [
                "PayloadKit", "BrazeLiquid", "Liquid", "AppBundles", "Documents", "Files", "JSON", "PropertyLists",
                "SourceText", "SwiftSources", "InAppScenarios",
            ]
        ),
        library("Reporting", ["JSON", "SourceText"]),
        // The page's sources are files of their own; they are part of the program, which stays one file.
        .target(
            name: "Preview",
            dependencies: [
                "Documents", "Files", "JSON", "Linting", "MessageDigests", "PayloadKit", "Reporting", "SourceText",
            ],
            resources: [
                .embedInCode("Page/page.css"), .embedInCode("Page/page.js"), .embedInCode("Page/measure.js"),
                .embedInCode("Page/static.js"),
            ],
            swiftSettings: strict
        ),
        library("Analytics", ["BinaryPlists", "Files", "JSON", "SourceText"]),
        library(
            "PayloadgenCommands",
            [
                "PayloadKit", "BrazeLiquid", "Liquid", "AppBundles", "Archives", "Documents", "Files", "Linting",
                "Analytics", "InAppMessages", "InAppScenarios", "JSON", "Preview", "PropertyLists", "Reporting",
                "SourceText", arguments,
            ]
        ),
        .executableTarget(name: "payloadgen", dependencies: ["PayloadgenCommands"], swiftSettings: strict),
        .executableTarget(
            name: "liquid-server",
            dependencies: ["JSON", "Liquid", "MessageDigests", "SourceText"],
            swiftSettings: strict
        ),
        // This example is a package of its own; here it is built once more, so that tests can run it.
        .executableTarget(
            name: "RenderCampaigns",
            dependencies: ["PayloadKit"],
            path: "examples/library/Sources/RenderCampaigns"
        ),
        .target(name: "TestData", dependencies: ["CZlib"], path: "Tests/TestData", swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: ["SourceText", "SwiftSources", "TestData"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        // What the extensions of the sample app do without UIKit.
        .target(
            name: "NotificationExtensions",
            dependencies: ["Analytics"],
            path: "examples/BookDemo",
            exclude: ["BookDemo", "NotificationService"]
                + ["LabProgress", "LabRegister", "MatchGame"].flatMap { name in
                    ["\(name).entitlements", "Info.plist", "NotificationViewController.swift", "payloadgen.extras.yml"]
                        .map { "\(name)/\($0)" }
                },
            swiftSettings: strict
        ),
        tests("FilesTests", ["Files"]),
        tests("SourceTextTests", ["SourceText"]),
        tests("MessageDigestsTests", ["MessageDigests", "SourceText"]),
        tests("JSONTests", ["JSON", "SourceText"]),
        tests("ReportingTests", ["JSON", "Reporting", "SourceText"], exclude: ["Snapshots"]),
        tests("PreviewTests", ["Files", "PayloadKit", "Preview", "Reporting"]),
        tests(
            "PayloadKitTests",
            ["PayloadKit", "AppBundles", "Documents", "JSON", "Liquid", "SourceText"],
            exclude: ["Snapshots"]
        ),
        tests(
            "LiquidTests",
            [
                "JSON", "Liquid", "SourceText", .product(name: "BigInt", package: "BigInt"),
                .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Fixtures"]
        ),
        // A process that the tests of the store start and kill.
        .executableTarget(
            name: "PendingProcess",
            dependencies: ["Analytics"],
            path: "Tests/PendingProcess",
            swiftSettings: strict
        ),
        // Mutated inputs for every reader of the command, in processes with limits; `make fuzz`.
        .executableTarget(
            name: "payloadgen-fuzz",
            dependencies: ["PayloadgenCommands", "PayloadKit", "Linting", "Liquid", "TestData", arguments],
            path: "Tests/Fuzz",
            exclude: ["Found"],
            swiftSettings: strict
        ),
        tests("AnalyticsTests", ["Analytics", "BinaryPlists", "JSON", "SourceText", "PendingProcess"]),
        tests("ExamplesTests", ["RenderCampaigns", "NotificationExtensions", "Analytics"]),
        tests("InAppMessagesTests", ["InAppMessages", "BrazeLiquid", "Liquid"]),
        tests("InAppScenariosTests", ["InAppScenarios"]),
        tests("BrazeLiquidTests", ["BrazeLiquid", "Liquid", "SourceText"], exclude: ["Hostile", "Snapshots"]),
        tests(
            "PayloadgenCommandsTests",
            [
                "payloadgen", "payloadgen-fuzz", "PayloadgenCommands", "Documents", "InAppScenarios", "Linting",
                "Analytics", "Liquid", "PayloadKit", arguments,
            ],
            exclude: ["Fixtures", "Snapshots"]
        ),
        tests(
            "DocumentationTests",
            [
                "payloadgen", "PayloadgenCommands", "PayloadKit", "Liquid", "InAppMessages", "Analytics", arguments,
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        tests("SwiftSourcesTests", ["SwiftSources", "SourceText"], exclude: ["Fixtures", "Snapshots"]),
        tests("PropertyListsTests", ["BinaryPlists", "PropertyLists", "SourceText"]),
        tests(
            "LintingTests",
            ["Linting", "AppBundles", "JSON", "PayloadKit", "PropertyLists", "SourceText", "SwiftSources"],
            exclude: ["Snapshots"]
        ),
        tests("ArchivesTests", ["Archives"]),
        tests("AppBundlesTests", ["AppBundles", "PayloadKit", "PropertyLists", "SourceText"]),
    ] + (hasPlugins ? plugins : [])
)
