// SPDX-License-Identifier: MIT

/// The state of a file or folder when it was read; comparing it with the current state finds later changes.
package enum FileStamp: Sendable, Equatable {
    /// The status of a file, taken before it was read; nil if there was no file.
    case file(FileStatus?)
    /// The status of a folder, taken before it was read, and the names in it.
    case folder(FileStatus, [String])
    /// The file changed so close to the time of reading that the old or the new contents may have been read; it has to
    /// be read again.
    case unsettled

    /// Takes the stamp of a file or folder as it is now.
    package init(of path: String) {
        let names = Self.names(in: path)
        let status = FileStatus(path: path)
        self = if let status, let names { .folder(status, names) } else { .file(status) }
    }

    /// Takes the stamp of a file that was just read.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - start: the time when reading began, from ``FileStatus/clock``; a file that has changed since then is
    ///     ``unsettled``.
    package init(of path: String, readSince start: Int) {
        self.init(of: path)
        guard let status else { return }
        let period = start...max(start, FileStatus.clock) + FileStatus.tick
        if period.contains(status.modified) || period.contains(status.changed) { self = .unsettled }
    }

    /// The stamp of the file as it is now; nil if what was read has not changed.
    package func change(of path: String) -> FileStamp? {
        if self != .unsettled, FileStatus(path: path) == status { return nil }
        let now = FileStamp(of: path)
        if case .folder(_, let names) = self, case .folder(_, names) = now { return nil }
        return now
    }

    private var status: FileStatus? {
        switch self {
        case .file(let status): status
        case .folder(let status, _): status
        case .unsettled: nil
        }
    }

    /// The names in a folder; nil if it cannot be read.
    ///
    /// Hidden files, logs and the temporary files of editors are left out, because they change without changing the
    /// project.
    private static func names(in folder: String) -> [String]? {
        FolderWalk.names(in: folder)?.filter { name in
            let isHidden = name.hasPrefix(".") && !ProjectRoot.marks.contains(name)
            return !isHidden && ![".log", ".partial", ".swp", ".tmp", "~"].contains(where: name.hasSuffix)
        }
    }
}
