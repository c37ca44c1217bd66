// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
    name: "extension",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "NotificationExtensions", targets: ["NotificationExtensions"])],
    dependencies: [.package(name: "payloadgen", path: "../..")],
    targets: [
        .target(
            name: "NotificationExtensions",
            dependencies: [.product(name: "Analytics", package: "payloadgen")]
        )
    ]
)
