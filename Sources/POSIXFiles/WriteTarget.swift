// SPDX-License-Identifier: MIT

import PlatformLibc

/// The file that a path leads to: a folder without symbolic links, and a name in it.
///
/// The file may not exist yet.
struct WriteTarget {
    /// The maximum number of links that are followed, which is also the system's limit.
    private static let linkLimit = 40

    /// The path as the caller gave it.
    let path: String

    /// The path of the folder, without symbolic links.
    let folder: String

    /// The name of the file in the folder.
    let name: String

    /// The status of the file that now has the name; nil if there is none.
    private let old: FileStatus?

    /// The name of the file that holds unfinished contents, `FILE.partial`.
    var partialName: String { name + ".partial" }

    /// Follows the symbolic links of a path.
    ///
    /// - Throws: that the path cannot lead to a file, or that it leads out of the root.
    init(_ path: String, in root: ProjectRoot, makesFolders: Bool = false) throws(FileError) {
        self.path = path
        guard path.isPossiblePath else { throw FileError(.write, path, .missing) }
        var next = path.absolutePath
        for _ in 0..<Self.linkLimit {
            let name = next.fileName
            guard !["", ".", ".."].contains(name) else { throw FileError(.write, path, .unexpected(.folder)) }
            let folder = try Self.realFolder(next.folder, of: path, in: root, makesFolders: makesFolders)
            let full = folder == "/" ? "/" + name : folder + "/" + name
            if let reason = root.refusal(of: full, isFolder: false) { throw FileError(.write, path, reason) }
            let status = FileStatus(path: full, followsLink: false)
            switch status?.kind {
            case .regular, nil:
                self.folder = folder
                self.name = name
                old = status
                return
            case .link:
                guard let target = Self.target(ofLink: full) else { throw FileError(.write, path, number: errno) }
                next = target.utf8.first == UInt8(ascii: "/") ? target : folder + "/" + target
            case .some(let kind): throw FileError(.write, path, .unexpected(kind))
            }
        }
        throw FileError(.write, path, .system(ELOOP))
    }

    /// The path of a folder without symbolic links; if `makesFolders` is true, missing folders inside the root are
    /// created.
    private static func realFolder(
        _ folder: String,
        of path: String,
        in root: ProjectRoot,
        makesFolders: Bool
    ) throws(FileError) -> String {
        if let real = (folder.isEmpty ? "/" : folder).realPath { return real }
        let number = errno
        let name = folder.fileName
        guard makesFolders, number == ENOENT, !["", ".", ".."].contains(name) else {
            throw FileError(.write, path, number: number)
        }
        let parent = try realFolder(folder.folder, of: path, in: root, makesFolders: true)
        let made = parent == "/" ? "/" + name : parent + "/" + name
        if let reason = root.refusal(of: made, isFolder: true) { throw FileError(.write, path, reason) }
        // `mkdir` fails if the name is taken, which is only accepted if a folder has it. A link without a target may
        // have it too.
        guard mkdir(made, 0o777) == 0 || errno == EEXIST && FileStatus(path: made)?.kind == .folder else {
            throw FileError(.write, path, number: errno)
        }
        return made
    }

    private static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The descriptors of an open file and of its folder; the caller closes them.
    struct Opened {
        let folder: Int32
        let descriptor: Int32
    }

    /// Creates a new file in the folder, unless another process has locked the partial file.
    func openNew(_ name: String) throws(FileError) -> Opened {
        let folder = try openFolder()
        let isLocked = isPartialLocked(in: folder)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = isLocked ? -1 : openat(folder, name, flags, creationMode)
        guard descriptor >= 0 else {
            let error = isLocked ? FileError(.write, path, .locked) : FileError(.write, path, number: errno)
            close(folder)
            throw error
        }
        adoptAttributes(for: descriptor)
        return Opened(folder: folder, descriptor: descriptor)
    }

    /// Opens and locks the partial file.
    ///
    /// - Parameter creates: whether a missing file is created and an existing one emptied.
    /// - Returns: the descriptors; nil if there is no partial file and none is created.
    /// - Throws: why the partial file cannot be opened or locked.
    func openPartial(creates: Bool) throws(FileError) -> Opened? {
        let folder = try openFolder()
        do throws(FileError) {
            let path = path + ".partial"
            let found = try FileLock.lock(partialName, path, in: folder, creating: creates ? creationMode : nil)
            guard let found else {
                close(folder)
                return nil
            }
            adoptAttributes(for: found)
            if creates, ftruncate(found, 0) != 0 {
                let number = errno
                close(found)
                throw FileError(.write, path, number: number)
            }
            return Opened(folder: folder, descriptor: found)
        } catch {
            close(folder)
            throw error
        }
    }

    /// Whether another process, such as a batch, has locked the partial file; the check does not change the file.
    private func isPartialLocked(in folder: Int32) -> Bool {
        let descriptor = openat(folder, partialName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private func openFolder() throws(FileError) -> Int32 {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(.write, path, number: errno) }
        return descriptor
    }

    /// The permissions with which the new file is created.
    ///
    /// A file that replaces an old one can be accessed only by its owner until ``adoptAttributes(for:)`` gives it the
    /// old permissions.
    var creationMode: mode_t { old == nil ? 0o666 : 0o600 }

    /// Gives a new file the owner and the permissions of the old one.
    ///
    /// If the group cannot be kept, the new group gets no more permissions than everyone has.
    func adoptAttributes(for descriptor: Int32) {
        guard let old, let new = FileStatus(descriptor: descriptor) else { return }
        var permissions = old.permissions
        if new.owner != old.owner || new.group != old.group, fchown(descriptor, old.owner, old.group) != 0 {
            // Without the old owner, the set-user-id bit would let the file run with the rights of a different user.
            permissions &= 0o777
            if new.group != old.group, fchown(descriptor, uid_t.max, old.group) != 0 {
                permissions &= 0o707 | (permissions & 0o007) << 3
            }
        }
        _ = fchmod(descriptor, permissions)
    }
}
