// SPDX-License-Identifier: MIT

package import Foundation

/// The file of an executable that was built with the tests.
package func builtProduct(_ name: String) -> URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    let tests = bundle ?? Bundle.main.executableURL ?? URL(filePath: "/")
    return tests.deletingLastPathComponent().appending(path: name)
}
