// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// `swift package payloadgen …` runs the command in the folder of the package, with its output and exit code.
@main struct RunPayloadgen: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try context.tool(named: "payloadgen").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        // The command has printed its findings: a thrown error would only repeat that there are some.
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }
}
