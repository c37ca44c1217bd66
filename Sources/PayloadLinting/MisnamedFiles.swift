// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
package import DiagnosticSources
import POSIXFiles

/// Files in folders that are probably meant as campaigns or scenarios, but that are not checked because of their names.
package enum MisnamedFiles {
    /// Whether a file may be misnamed, judged by its path.
    package static func mayInclude(_ path: String) -> Bool {
        guard path.fileName != XcodeProject.specFileName, !App.isMisspeltExtrasFileName(path.fileName) else {
            return false
        }
        return [.yaml, .json, .misnamedCampaign].contains(ProjectFile.Kind(path))
    }

    /// The finding of `lint` about a misnamed file; nil for other files, and for files that cannot be read.
    ///
    /// - Parameter path: the path of a file in a folder, which has to be inside of the project around it.
    /// - Returns: the finding, with its place at the start of the file.
    package static func finding(about path: String) -> Diagnostic? {
        guard mayInclude(path) else { return nil }
        let paths = ProjectPaths(workingFolder: .workingFolder)
        let entry = FileSearch.Entry(path: paths.absolute(path), isShown: true, isNamed: false)
        return ProjectFile(entry, paths: paths, overlay: Overlay([:])).unread.first
    }
}
