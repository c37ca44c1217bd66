// SPDX-License-Identifier: MIT

import Foundation
import SourceText

/// Reads the files that arguments name.
enum Inputs {
    /// Reads a file, or standard input for `-`.
    ///
    /// - Throws: ``ExitStatus/missingInput`` for a file that is not there or cannot be opened.
    static func file(_ path: String) throws(CommandFailure) -> SourceFile {
        if path == "-" {
            return SourceFile(path: "<stdin>", bytes: Array(FileHandle.standardInput.readDataToEndOfFile()))
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.missingInput, fault(at: path))
        }
        return SourceFile(path: path, bytes: Array(data))
    }

    /// Why nothing can be read at a path.
    static func fault(at path: String) -> String {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return "no file '\(path)'" }
        return isFolder.boolValue ? "'\(path)' is a folder, expected a file" : "cannot read '\(path)'"
    }
}
