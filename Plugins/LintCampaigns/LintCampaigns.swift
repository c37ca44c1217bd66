// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// Runs `payloadgen lint` on the package or Xcode project of a target as part of its build.
///
/// It runs only if a file has changed that `lint` may read. Findings are shown as the compiler's are, and an error
/// fails the build.
@main struct LintCampaigns: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        [
            Self.lint(
                context.package.directoryURL,
                with: try context.tool(named: "payloadgen").url,
                reportsIn: context.pluginWorkDirectoryURL
            )
        ]
    }

    /// The command for a folder.
    ///
    /// The report is also written to a file, because a build compares the time of an output with those of the inputs.
    private static func lint(_ folder: URL, with executable: URL, reportsIn work: URL) -> Command {
        let report = work.appending(path: "payloadgen-lint.json")
        return .buildCommand(
            displayName: "Checking the campaigns of \(folder.lastPathComponent)",
            executable: executable,
            arguments: ["lint", "--format", "xcode", "--format", "json=\(report.path)", "--", folder.path],
            inputFiles: inputs(of: folder),
            outputFiles: [report]
        )
    }

    /// Extensions of the files that `lint` reads in a folder or that a campaign names: property lists, campaigns,
    /// content blocks, fixtures, profiles, configuration and the code of the app.
    private static let extensions: Set<String> = [
        "plist", "entitlements", "yml", "yaml", "json", "liquid", "swift", "m", "mm", "h", "pbxproj", "xcconfig",
    ]

    /// Folders that `lint` does not enter.
    private static let skipped: Set<String> = [".build", ".git", "Carthage", "DerivedData", "Pods"]

    private static func inputs(of folder: URL) -> [URL] {
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        var inputs: [URL] = []
        for case let file as URL in files {
            if skipped.contains(file.lastPathComponent) {
                files.skipDescendants()
            } else if extensions.contains(file.pathExtension) || file.lastPathComponent == ".payloadgen.yml" {
                inputs.append(file)
            }
        }
        // The order of a folder is not the same on every machine, and another order would be another command.
        return inputs.sorted { $0.path < $1.path }
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension LintCampaigns: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            [
                Self.lint(
                    context.xcodeProject.directoryURL,
                    with: try context.tool(named: "payloadgen").url,
                    reportsIn: context.pluginWorkDirectoryURL
                )
            ]
        }
    }
#endif
