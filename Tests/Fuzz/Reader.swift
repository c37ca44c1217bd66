// SPDX-License-Identifier: MIT

import Foundation

/// A reader of the command: where its input goes, what is around it, and what reads it.
struct Reader: Sendable {
    /// The name, as `READER=` takes it.
    let name: String

    /// The path of the input in the folder where the commands run.
    let path: String

    /// The form of the input.
    let form: Form

    /// The other files in that folder.
    var files: [File] = []

    /// The longest input in bytes for a build for debugging, which takes too long over more.
    var debugSizeLimit = 1 << 15

    /// Whether the commands change files, so that all are written again for each input.
    var isRenewed = false

    /// Inputs that are right, or nearly so.
    let seeds: @Sendable (Repository) -> [[UInt8]]

    /// Reads an input that is at ``path``, and gives what is wrong with what came of it.
    let use: @Sendable (_ input: [UInt8], _ output: CommandOutput) throws -> String?

    /// The longest input in bytes.
    var sizeLimit: Int { Worker.isDebug ? debugSizeLimit : 1 << 19 }

    /// A file around the input.
    struct File: Sendable {
        let path: String
        let content: Content

        enum Content: Sendable {
            case text(String)
            /// A file or folder of the repository.
            case copy(String)
        }

        static func text(_ path: String, _ text: String) -> File { File(path: path, content: .text(text)) }

        static func copy(_ path: String, to target: String? = nil) -> File {
            File(path: target ?? path, content: .copy(path))
        }
    }

    /// A run of the command.
    struct Invocation: Sendable {
        let arguments: [String]
        var prints = CommandOutput.Kind.text

        init(_ line: String, prints: CommandOutput.Kind = .text) {
            arguments = line.split(separator: " ").map(String.init)
            self.prints = prints
        }
    }

    /// A reader that commands use, each on its own.
    static func commands(
        _ name: String,
        at path: String,
        _ form: Form,
        files: [File] = [],
        isRenewed: Bool = false,
        _ invocations: [Invocation],
        seeds: @escaping @Sendable (Repository) -> [[UInt8]]
    ) -> Reader {
        Reader(name: name, path: path, form: form, files: files, isRenewed: isRenewed, seeds: seeds) { input, output in
            for invocation in invocations {
                if let fault = try output.fault(of: invocation, reading: path, input) {
                    return "\(fault): payloadgen " + invocation.arguments.joined(separator: " ")
                }
            }
            return nil
        }
    }

    /// Writes the files around the input into a folder, which is emptied before.
    func prepare(_ folder: String, from repository: String) throws {
        let manager = FileManager.default
        if manager.fileExists(atPath: folder) { try manager.removeItem(atPath: folder) }
        // The root of the project is here, whatever is above the folder.
        try manager.createDirectory(atPath: folder + "/.git", withIntermediateDirectories: true)
        for path in files.map(\.path) + [path] {
            let parent = URL(filePath: folder + "/" + path).deletingLastPathComponent()
            try manager.createDirectory(at: parent, withIntermediateDirectories: true)
        }
        for file in files {
            let target = folder + "/" + file.path
            switch file.content {
            case .text(let text): try Data(text.utf8).write(to: URL(filePath: target))
            case .copy(let source):
                if manager.fileExists(atPath: target) { try manager.removeItem(atPath: target) }
                try manager.copyItem(atPath: repository + "/" + source, toPath: target)
            }
        }
    }
}
