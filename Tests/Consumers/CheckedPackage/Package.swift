// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
    name: "CheckedPackage",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "payloadgen", path: "PAYLOADGEN")],
    targets: [
        .target(name: "Checked", plugins: [.plugin(name: "LintCampaigns", package: "payloadgen")])
    ]
)
