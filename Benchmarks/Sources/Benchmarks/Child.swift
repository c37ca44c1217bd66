// SPDX-License-Identifier: MIT

import Foundation

/// A process that was run to its end.
struct Child {
    let output: String
    let errors: String

    /// Runs a program.
    init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let errorText = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        self.output = String(decoding: text, as: UTF8.self)
        self.errors = String(decoding: errorText, as: UTF8.self)
        if process.terminationStatus != 0 {
            Program.fail("\(path) ended with \(process.terminationStatus)\n\(self.errors)")
        }
    }

    /// The path of a program; nil where there is none.
    static func path(of name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
