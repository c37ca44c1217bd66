// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
    name: "library",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "payloadgen", path: "../..", traits: ["Digests"])],
    targets: [
        .executableTarget(
            name: "RenderCampaigns",
            dependencies: [.product(name: "PayloadKit", package: "payloadgen")]
        )
    ]
)
