// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// One program for each product, which imports this product alone and uses what its API returns. The settings are those
// under which the compiler is strictest about what has to be imported.
let products = [
    "ExtensionAnalytics", "BrazeLiquid", "InAppMessages", "InAppScenarios", "PayloadLinting", "LiquidTemplates",
    "PayloadKit",
]

let package = Package(
    name: "Consumers",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "payloadgen", path: "../..")],
    targets: products.map { product in
        .executableTarget(
            name: "Uses\(product)",
            dependencies: [.product(name: product, package: "payloadgen")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .treatAllWarnings(as: .error),
            ]
        )
    }
)
