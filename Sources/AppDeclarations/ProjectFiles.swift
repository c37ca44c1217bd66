// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import POSIXFiles

extension RuleID {
    package static let unreadFile = RuleID(
        "unread-file", .error, "a file that should be read but is not", isAboutUnread: true, reportsUncheckedPart: true
    )
    package static let missingFile = RuleID(
        "missing-file", .error, "a file or folder that is named but does not exist", reportsUncheckedPart: true)
    package static let overLimit = RuleID(
        "over-limit", .error, "more files, settings or values than the limit, so some are not checked",
        reportsUncheckedPart: true)
    package static let moreFindings = RuleID("more-findings", .error, "findings of a file beyond the first 1,000")
}

extension SourceFile {
    /// The maximum number of bytes that a file of a project may have: 64 MiB.
    package static let byteLimit = 64 << 20

    /// Reads a regular file.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - shown: the path for messages; nil for the path itself.
    ///   - root: the project that refers to the file, which must be inside it; nil for a file that the user names.
    /// - Throws: the reason why the file is not read.
    package convenience init(
        contentsOf path: String,
        shownAs shown: String? = nil,
        in root: ProjectRoot?
    ) throws(FileError) {
        let file = if let root { try OpenFile(path, in: root) } else { try OpenFile(path) }
        self.init(path: shown ?? path, bytes: try file.bytes(limit: Self.byteLimit))
    }
}

/// A function that reads the file at an absolute path, and returns nil if it does not exist.
package typealias ProjectFileReader = (String) throws(FileError) -> SourceFile?

extension ProjectRoot {
    /// A function that reads files to which the project refers.
    ///
    /// - Parameter shown: returns the path of a file for messages.
    /// - Returns: a function that reads a file, and returns nil if the file does not exist.
    package func reader(shown: @escaping (String) -> String) -> ProjectFileReader {
        { path throws(FileError) in
            do throws(FileError) {
                return try SourceFile(contentsOf: path, shownAs: shown(path), in: self)
            } catch {
                if error.reason == .missing { return nil }
                throw error
            }
        }
    }
}

extension ProjectRoot {
    /// The names of the items in a folder of the project; nil if the folder does not exist or must not be read.
    package func names(in folder: String) -> [String]? {
        (try? resolve(folder)) == nil ? nil : FolderWalk.names(in: folder)
    }
}

extension FileError {
    /// The reason why a file is not read, in words such as "'a.xcconfig' is not read: it is outside of the project".
    package var explanation: String {
        switch reason {
        case .missing: "there is no such file"
        case .unexpected(let kind): "it is a \(kind.rawValue), expected a file"
        case .outside(let root): "it is outside of the project, '\(root)'"
        case .closed(let folder): "it is in '\(folder)', which is never entered"
        case .tooLarge(let limit): "it has more than \(limit) bytes"
        case .severalNames, .locked, .changed: "it is in use"
        case .system(let number): FileError.message(number)
        }
    }
}
