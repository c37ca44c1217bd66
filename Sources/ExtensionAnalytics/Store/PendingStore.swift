// SPDX-License-Identifier: MIT

public import Foundation

/// A folder of records that wait to be sent, shared by an app and its extensions.
///
/// Every record is a separate file, so two processes never write the same bytes: an extension may save while the app
/// sends, and either may be killed at any time. A record is
/// - *saved* when ``save(_:)`` returns: until then it does not exist, and no reader ever sees a part of it;
/// - *kept* until it is acknowledged, whatever happens in between;
/// - *sent at least once*: a process that is killed between sending and acknowledging sends again. The record's id lets
///   a receiver recognise a duplicate.
///
/// What cannot be understood, such as a record of a later version of the app, goes to the folder `quarantine` and is
/// never deleted.
///
/// Records are in the order in which they were saved. File names start with the time of saving; a process never uses a
/// time twice or goes back, even if the clock does, and starts after what it finds. Two processes that save within the
/// same moment are in the order of their clock readings. There is no lock: iOS ends a process that is suspended while
/// it holds one in a shared folder, and nothing here needs one.
public struct PendingStore: Sendable {
    /// What a saved record survives.
    public enum Durability: Sendable, Hashable {
        /// The end of the process, even if it is killed. The system writes the file to the disk some time later.
        case process
        /// A loss of power too: saving waits for the disk twice (`F_FULLFSYNC` on Apple's systems), some milliseconds
        /// each.
        case power
    }

    /// The folder.
    public let folder: URL

    /// What a saved record survives.
    public let durability: Durability

    let clock = SaveClock()

    /// Opens a store, and makes its folder where there is none.
    ///
    /// - Parameters:
    ///   - folder: a folder that only the store uses, such as one inside the container of the app group.
    ///   - durability: what a saved record survives.
    /// - Throws: why the folder cannot be made.
    public init(folder: URL, durability: Durability = .power) throws(PendingStoreError) {
        self.folder = folder
        self.durability = durability
        try makeFolder(quarantine)
    }

    /// Opens a store that is there already, and writes nothing.
    ///
    /// - Parameter folder: the folder of a store.
    /// - Throws: that there is no store.
    public init(existing folder: URL) throws(PendingStoreError) {
        self.folder = folder
        durability = .power
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: quarantine, isDirectory: &isFolder), isFolder.boolValue else {
            throw PendingStoreError(.open, quarantine, ENOENT)
        }
    }

    #if canImport(Darwin)
        /// Opens the store of an app group; nil where this process has no such group.
        ///
        /// A group that is missing from the entitlements gives nil, while `UserDefaults(suiteName:)` gives a store that
        /// no other process reads.
        ///
        /// - Parameter appGroup: the identifier of the group, such as `group.com.example.app`.
        /// - Throws: why the folder cannot be made.
        public init?(appGroup: String) throws(PendingStoreError) {
            let files = FileManager.default
            guard let container = files.containerURL(forSecurityApplicationGroupIdentifier: appGroup) else {
                return nil
            }
            try self.init(folder: container.appendingPathComponent("Library/Application Support/Pending"))
        }
    #endif

    /// The path of the folder for files that cannot be understood.
    var quarantine: String { path("quarantine") }

    func path(_ name: String) -> String { folder.path + "/" + name }

    private func makeFolder(_ path: String) throws(PendingStoreError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let number = errno
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard number == ENOENT, parent != path, !parent.isEmpty else {
            throw PendingStoreError(.open, path, number)
        }
        try makeFolder(parent)
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw PendingStoreError(.open, path, errno) }
    }
}

/// Why an operation of a store failed; nothing that was saved is lost.
public struct PendingStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was tried.
    public enum Operation: String, Sendable, Hashable {
        case open
        case save
        case read
        case remove
        case restore
    }

    /// What was tried.
    public let operation: Operation

    /// The file or folder.
    public let path: String

    /// The system's error number, such as `ENOSPC` for a full disk.
    public let number: Int32

    init(_ operation: Operation, _ path: String, _ number: Int32) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// What was tried, and the system's words for why it cannot be done.
    public var description: String { "cannot \(operation.rawValue) '\(path)': \(String(cString: strerror(number)))" }
}
