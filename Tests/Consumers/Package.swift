// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let products = [
    "BrazeLiquid", "ExtensionAnalytics", "InAppMessages", "InAppScenarios", "LiquidTemplates", "PayloadKit",
    "PayloadLinting",
]

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "payloadgen") }

// Names of modules that many packages have. SwiftPM refuses two targets of one name, so none of ours may have them.
let commonNames = [
    "Analytics", "Archives", "Core", "Documents", "Files", "JSON", "Linting", "Liquid", "Preview", "Reporting",
    "Utilities",
]

// The settings under which the compiler is strictest about what has to be imported.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Consumers",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "payloadgen", path: "../..", traits: ["Digests"])],
    // One program for each product, which imports this product alone and uses what its API returns.
    targets: products.map { name in
        .executableTarget(name: "Uses\(name)", dependencies: [product(name)], swiftSettings: strict)
    } + commonNames.map { .target(name: $0, path: "CommonNames/\($0)") } + [
        .executableTarget(
            name: "UsesEveryProduct",
            dependencies: commonNames.map { .byName(name: $0) } + products.map(product),
            path: "CommonNames/UsesEveryProduct",
            swiftSettings: strict
        )
    ]
)
