// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import Testing

@Suite struct PackageManifestTests {
    private func listing(_ product: String, _ text: String) -> String? {
        PackageManifest(text).targets(ofProduct: product)?.map { "\($0.name) \($0.path ?? "-")" }.joined(
            separator: ", ")
    }

    @Test func `the targets of a product are those that it depends on in the package`() {
        let text = #"""
            // .library(name: "PushKit", targets: ["Comment"])
            let package = Package(
                name: "Push",
                products: [
                    .library(name: "PushKit", type: .dynamic, targets: ["Core"]), .library(name: "Other", targets: ["O"]),
                ],
                targets: [
                    .target(
                        name: "Core",
                        dependencies: ["Shared", .target(name: "More"), .product(name: "X", package: "x")],
                        path: "Code/Core"
                    ),
                    .target(name: "Shared", dependencies: [.byName(name: "Core")]),
                    .target(name: "More", path: "more", exclude: ["a \" b"]),
                    .testTarget(name: "CoreTests", dependencies: ["Core"], path: "T"),
                ]
            )
            """#
        #expect(listing("PushKit", text) == "Core Code/Core, More more, Shared -")
        #expect(listing("Other", text) == "O -")
        #expect(listing("X", text) == nil)
    }

    @Test(arguments: [
        "", "\"", ".library(", ".library(name: \"A", ".library(name: \"A\", targets: [\"", ".library(name: \"A\\",
        "/*", ".library(name: \"A\", targets: [\"A\"]) /", ".target(name: \"A\", dependencies: [((((",
    ])
    func `a manifest may end anywhere`(_ text: String) {
        _ = PackageManifest(text).targets(ofProduct: "A")
    }
}
