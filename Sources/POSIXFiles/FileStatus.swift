// SPDX-License-Identifier: MIT

import PlatformLibc

/// The identity of a file, which is the same under all of its names.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    fileprivate init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// The identity of an open file; nil if the descriptor is closed.
    package init?(descriptor: Int32) {
        guard let status = FileStatus(descriptor: descriptor) else { return nil }
        self = status.identity
    }

    /// The identity of the file that a path leads to, following symbolic links; nil if there is none.
    package init?(path: String) {
        guard let status = FileStatus(path: path) else { return nil }
        self = status.identity
    }
}

/// What the system records about a file: its kind, size, times and identity.
package struct FileStatus: Sendable, Hashable {
    /// What a path or descriptor refers to; the raw value is the word used in messages.
    package enum Kind: String, Sendable, Hashable {
        case regular = "file"
        case folder
        case link = "symbolic link"
        case pipe
        case socket
        case device
    }

    package let identity: FileIdentity

    package let kind: Kind

    /// The number of bytes.
    package let size: Int

    /// The time when the contents last changed, in nanoseconds since 1970; clamped to 64 bits.
    package let modified: Int

    /// The time when the file, or what the system records about it, such as its name, last changed, in nanoseconds
    /// since 1970; clamped to 64 bits.
    package let changed: Int

    /// The number of the file's names (hard links).
    let linkCount: Int

    let permissions: mode_t
    let owner: uid_t
    let group: gid_t

    /// The device number (`st_rdev`), which has a meaning only if the file is a device.
    fileprivate let device: UInt64

    private init(_ status: stat) {
        identity = FileIdentity(status)
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .device
            }
        size = Int(status.st_size)
        #if canImport(Darwin)
            modified = Self.nanoseconds(status.st_mtimespec)
            changed = Self.nanoseconds(status.st_ctimespec)
        #else
            modified = Self.nanoseconds(status.st_mtim)
            changed = Self.nanoseconds(status.st_ctim)
        #endif
        linkCount = Int(status.st_nlink)
        permissions = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
        device = UInt64(truncatingIfNeeded: status.st_rdev)
    }

    private static func nanoseconds(_ time: timespec) -> Int {
        let (seconds, overflow) = Int(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = seconds.addingReportingOverflow(Int(time.tv_nsec))
        return !overflow && !carry ? sum : time.tv_sec < 0 ? .min : .max
    }

    /// The maximum number of nanoseconds by which a file's time may be later than ``clock``, because recent Linux
    /// kernels use finer timestamps for files whose status was just read.
    package static let tick = 10_000_000

    /// The earliest time that the system may give to a file changed now, in nanoseconds since 1970.
    package static var clock: Int {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_REALTIME, &time)
        #else
            // Linux gives changed files the time of the last clock tick, which the coarse clock returns.
            clock_gettime(CLOCK_REALTIME_COARSE, &time)
        #endif
        return nanoseconds(time)
    }

    /// The status of an open file; nil if the descriptor is closed.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The status of what a path leads to; nil if nothing is there.
    ///
    /// - Parameters:
    ///   - path: the path; a relative path starts at `folder`.
    ///   - folder: the descriptor of a folder; the working folder by default.
    ///   - followsLink: whether to return the status of a symbolic link's target instead of the link itself.
    package init?(path: String, in folder: Int32 = AT_FDCWD, followsLink: Bool = true) {
        var status = stat()
        guard path.isPossiblePath, fstatat(folder, path, &status, followsLink ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
        self.init(status)
    }

    /// Whether the bytes of an open file with this status can be read only once, as for a pipe or a terminal; true for
    /// `/dev/null` too.
    ///
    /// Other devices do not count as streams: `/dev/zero`, for example, has no end.
    func isStream(_ descriptor: Int32) -> Bool { kind == .pipe || isatty(descriptor) == 1 || isNullDevice }

    private var isNullDevice: Bool { kind == .device && device == FileStatus(path: "/dev/null")?.device }
}
