// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "payloadgen", path: "..")],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "BrazeLiquid", package: "payloadgen"),
                .product(name: "PayloadKit", package: "payloadgen"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(name: "generate-profiles", swiftSettings: settings),
    ]
)
