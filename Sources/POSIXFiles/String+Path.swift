// SPDX-License-Identifier: MIT

import PlatformLibc

/// Paths are split at the byte `/`, as the system does: as a `Character`, a slash before a combining mark is not a
/// slash.
extension String {
    /// The absolute path without `.`, `..` and repeated slashes; the path has to be absolute.
    package var standardizedPath: String {
        var parts: [Substring.UTF8View] = []
        for part in pathComponents {
            if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.map { String(Substring($0)) }.joined(separator: "/")
    }

    /// The part of a path before its last component; empty if the path has only one component.
    package var folder: String {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[..<$0]) } ?? ""
    }

    /// The last component of a path.
    package var fileName: String {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[utf8.index(after: $0)...]) } ?? self
    }

    /// The path, made absolute from the working folder.
    ///
    /// `..` is kept, because it may follow a symbolic link.
    package var absolutePath: String {
        utf8.first == UInt8(ascii: "/") ? self : Self.workingFolder + "/" + self
    }

    /// The working folder of the process; if it no longer exists, a path at which nothing is or can be created.
    package static var workingFolder: String { existingWorkingFolder ?? "/dev/null/removed" }

    /// The working folder of the process; nil, with the error number in `errno`, if it no longer exists.
    package static var existingWorkingFolder: String? {
        if let buffer = getcwd(nil, 0) {
            defer { free(buffer) }
            let path = String(cString: buffer)
            // On Linux, the path of a folder outside the root of the process begins with "(unreachable)".
            if path.utf8.first == UInt8(ascii: "/") { return path }
            errno = ENOENT
        }
        let number = errno
        // Some systems find the path through the parent folders, which fails if these cannot be read. The variable is
        // used only if it leads to the same folder.
        if let variable = getenv("PWD") {
            let path = String(cString: variable)
            if path.utf8.first == UInt8(ascii: "/"), let folder = FileIdentity(path: "."),
                FileIdentity(path: path) == folder
            {
                return path
            }
        }
        errno = number
        return nil
    }

    /// Whether the path is the folder or inside it; both paths have to be standardized.
    package func isPath(in folder: String) -> Bool {
        folder == "/" || utf8.elementsEqual(folder.utf8) || utf8.starts(with: (folder + "/").utf8)
    }

    /// The path relative to a folder that contains it; nil for the folder itself and for paths outside of it.
    ///
    /// Both paths have to be standardized.
    package func path(relativeTo folder: String) -> String? {
        let prefix = folder == "/" ? folder : folder + "/"
        guard utf8.starts(with: prefix.utf8), utf8.count > prefix.utf8.count else { return nil }
        return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// The path relative to a folder, with `..` if it leads out of the folder; the absolute path if the two share only
    /// `/`.
    ///
    /// Both paths have to be standardized.
    package func path(throughParentsOf folder: String) -> String {
        var parent = folder
        var steps = ""
        while !parent.isEmpty {
            if self == parent { return String(steps.dropLast()) }
            if let rest = path(relativeTo: parent) { return steps + rest }
            parent = parent.folder
            steps += "../"
        }
        return self
    }

    /// The relative path without folders that a following `..` leaves again, such as `a/b` for `a/c/../b`.
    ///
    /// The path is unchanged if it has no such folder, or if such a folder is a symbolic link, so that the shorter path
    /// would lead to another file.
    package var withoutNeedlessParents: String {
        var parts: [Substring.UTF8View] = []
        for part in pathComponents {
            let isParent = part.elementsEqual("..".utf8)
            if isParent, let last = parts.last, !last.elementsEqual("..".utf8) {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        guard parts.count < pathComponents.count else { return self }
        let plain = parts.isEmpty ? "." : parts.map { String(Substring($0)) }.joined(separator: "/")
        // A path that ends with `..` leads to a folder.
        let isFolder = pathComponents.last?.elementsEqual("..".utf8) ?? false
        func real(_ path: String) -> String? {
            (isFolder ? path : path.folder.isEmpty ? "." : path.folder).realPath
        }
        return real(plain) == real(self) ? plain : self
    }

    /// The path with all symbolic links resolved; nil, with the error number in `errno`, if nothing is there.
    package var realPath: String? {
        guard isPossiblePath else {
            errno = ENOENT
            return nil
        }
        guard let buffer = realpath(self, nil) else { return nil }
        defer { free(buffer) }
        return String(cString: buffer)
    }

    /// Whether the text can be passed to the system as a path: it is not empty and has no byte 0.
    var isPossiblePath: Bool { !utf8.isEmpty && !utf8.contains(0) }

    /// The components of the path, without empty ones and `.`.
    var pathComponents: [Substring.UTF8View] {
        utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
    }
}
