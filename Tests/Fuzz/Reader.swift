// SPDX-License-Identifier: MIT

import Foundation

/// A reader of the command, such as that of property lists: where its input is, which files are around it, and what
/// reads it.
struct Reader: Sendable {
    /// The name of the reader, for `READER=`.
    let name: String

    /// The path of the input, in the folder in which the commands run.
    let path: String

    /// The form of the inputs, which decides how they are mutated.
    let form: Form

    /// The other files in that folder, which the reader needs.
    var files: [File] = []

    /// The most bytes of an input in a debug build, which would take too long for more.
    var debugSizeLimit = 1 << 15

    /// Whether the commands change files, so that all files have to be written again for each input.
    var isRenewed = false

    /// Valid or nearly valid inputs, from the files of the repository.
    let seeds: @Sendable (Repository) -> [[UInt8]]

    /// Reads the input at ``path``; returns what is wrong with the result, nil if nothing is.
    let use: @Sendable (_ input: [UInt8], _ output: CommandOutput) throws -> String?

    /// The most bytes of an input in this build.
    var sizeLimit: Int { Worker.isDebug ? debugSizeLimit : 1 << 19 }

    /// A file that the reader needs beside the input.
    struct File: Sendable {
        let path: String
        let content: Content

        enum Content: Sendable {
            case text(String)
            /// A copy of a file or folder of the repository.
            case copy(String)
        }

        static func text(_ path: String, _ text: String) -> File { File(path: path, content: .text(text)) }

        static func copy(_ path: String, to target: String? = nil) -> File {
            File(path: target ?? path, content: .copy(path))
        }
    }

    /// A call of the command, with its arguments and what it is expected to print.
    struct Invocation: Sendable {
        let arguments: [String]
        var prints = CommandOutput.Kind.text

        init(_ line: String, prints: CommandOutput.Kind = .text) {
            arguments = line.split(separator: " ").map(String.init)
            self.prints = prints
        }
    }

    /// A reader for which one or more commands read each input, one after the other.
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

    /// Empties a folder and writes the files around the input into it.
    func prepare(_ folder: String, from repository: String) throws {
        let manager = FileManager.default
        if manager.fileExists(atPath: folder) { try manager.removeItem(atPath: folder) }
        // This makes the folder the root of a project, whatever folders are above it.
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
