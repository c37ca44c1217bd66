// SPDX-License-Identifier: MIT

/// What is known of a file or folder that was read, by which a later change is noticed.
package enum FileStamp: Sendable, Equatable {
    /// What the system knew of it before it was read; nil where there was none.
    case file(FileStatus?)
    /// The same of a folder, with the names in it.
    case folder(FileStatus, [String])
    /// It changed while it may have been read, and is to be read again.
    case unsettled

    /// The stamp of a file as it is now.
    package init(of path: String) {
        let names = Self.names(in: path)
        let status = FileStatus(path: path)
        self = if let status, let names { .folder(status, names) } else { .file(status) }
    }

    /// The stamp of a file that was read since a time of ``FileStatus/clock``.
    package init(of path: String, readSince start: Int) {
        self.init(of: path)
        guard let status else { return }
        let period = start...max(start, FileStatus.clock) + FileStatus.tick
        if period.contains(status.modified) || period.contains(status.changed) { self = .unsettled }
    }

    /// The stamp of the same file now; nil where nothing changed that was read.
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

    /// The names in a folder, without those of logs and of the files that editors make for a while.
    private static func names(in folder: String) -> [String]? {
        FolderWalk.names(in: folder)?.filter { name in
            let isHidden = name.hasPrefix(".") && !ProjectRoot.marks.contains(name)
            return !isHidden && ![".log", ".partial", ".swp", ".tmp", "~"].contains(where: name.hasSuffix)
        }
    }
}
