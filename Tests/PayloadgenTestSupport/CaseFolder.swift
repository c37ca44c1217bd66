// SPDX-License-Identifier: MIT

package import Foundation
package import Testing

/// The folder of test cases that are not part of the project: `PAYLOADGEN_CASES`, by default `../shared/cases` beside
/// the package; nil if it does not exist.
package func caseFolder() -> URL? {
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../..",
        directoryHint: .isDirectory
    )
    .standardizedFileURL
    let path = ProcessInfo.processInfo.environment["PAYLOADGEN_CASES"] ?? "../shared/cases"
    let folder = URL(filePath: path, directoryHint: .isDirectory, relativeTo: package).standardizedFileURL
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
        return nil
    }
    return folder
}

/// A file or folder of the test cases; nil if it does not exist.
package func caseFile(_ path: String) -> URL? {
    guard let file = caseFolder()?.appending(path: path) else { return nil }
    return FileManager.default.fileExists(atPath: file.path) ? file : nil
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only if a file or folder of the test cases exists; otherwise the test is shown as skipped, with the
    /// reason.
    package static func needsCases(_ path: String) -> Self {
        .enabled(if: caseFile(path) != nil, "needs \(path) in the folder of PAYLOADGEN_CASES")
    }
}
