// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
    name: "MacrosPackage",
    platforms: [.macOS(.v12)],
    dependencies: [
        .package(name: "payloadgen", path: "PAYLOADGEN", traits: ["SwiftSources"]),
        .package(url: "https://github.com/swiftlang/swift-syntax", exact: "VERSION"),
    ],
    targets: [
        .target(
            name: "Macros",
            dependencies: [
                .product(name: "PayloadKit", package: "payloadgen"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ]
        )
    ]
)
