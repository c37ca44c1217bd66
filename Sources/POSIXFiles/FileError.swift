// SPDX-License-Identifier: MIT

import PlatformLibc

/// Why a file cannot be read or written.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Operation: String, Sendable, Hashable {
        case read
        case write
    }

    package enum Reason: Sendable, Hashable {
        /// There is no file at the path.
        case missing
        /// The path leads to something other than a file, such as a folder.
        case unexpected(FileStatus.Kind)
        /// The path leads out of the project's root folder.
        case outside(root: String)
        /// The path leads into a folder whose files are never read or written, such as `.git`.
        case closed(folder: String)
        /// The file has several names (hard links): writing it would change it under all of them.
        case severalNames
        /// Another process holds the lock of the file.
        case locked
        /// The contents of the file are not those that were read before.
        case changed
        /// The file holds more than this number of bytes.
        case tooLarge(limit: Int)
        /// A system call failed and set `errno` to this number.
        case system(Int32)
    }

    package let operation: Operation

    /// The path as the caller gave it.
    package let path: String

    package let reason: Reason

    package init(_ operation: Operation, _ path: String, _ reason: Reason) {
        self.operation = operation
        self.path = path
        self.reason = reason
    }

    /// Creates the error for a system call that failed with this `errno`.
    package init(_ operation: Operation, _ path: String, number: Int32) {
        let reason: Reason =
            switch number {
            case ENOENT: .missing
            case EISDIR: .unexpected(.folder)
            // A file opened with `O_NOFOLLOW` is a symbolic link.
            case ELOOP: .unexpected(.link)
            default: .system(number)
            }
        self.init(operation, path, reason)
    }

    /// A message such as "'out.json' is a folder, expected a file": lower case, no full stop.
    package var description: String {
        switch reason {
        case .missing where operation == .read: "no file '\(path)'"
        case .missing: "cannot write '\(path)': \(Self.message(ENOENT))"
        case .unexpected(let kind): "'\(path)' is a \(kind.rawValue), expected a file"
        case .outside(let root): "'\(path)' leads out of the project '\(root)'"
        case .closed(let folder): "'\(path)' leads into '\(folder)', which is never entered"
        case .severalNames: "'\(path)' has several names (hard links), expected a file with one name"
        case .locked: "'\(path)' is in use by another process"
        case .changed: "another program has changed '\(path)' since it was read"
        case .tooLarge(let limit): "'\(path)' has more than \(limit) bytes"
        case .system(let number): "cannot \(operation.rawValue) '\(path)': \(Self.message(number))"
        }
    }

    /// The system's message for an `errno`; for EBADF, our own message, because the system's mentions descriptors.
    package static func message(_ number: Int32) -> String {
        number == EBADF ? "it is closed" : String(cString: strerror(number))
    }
}
