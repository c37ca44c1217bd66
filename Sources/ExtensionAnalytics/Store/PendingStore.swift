// SPDX-License-Identifier: MIT

public import Foundation

/// A folder of records that wait to be sent, shared by an app and its extensions.
///
/// Every record is a separate file, so two processes never write the same bytes: an extension may save while the app
/// sends, and either process may be killed at any time. A record is
/// - *saved* when ``save(_:)`` returns: until then it does not exist, and no reader ever sees a part of it;
/// - *kept* until it is acknowledged, whatever happens in between;
/// - *sent at least once*: a process that is killed between sending and acknowledging sends the record again. The
///   record's id lets a receiver recognise a duplicate.
///
/// A record that cannot be understood, such as one from a later version of the app, is moved to the folder `quarantine`
/// and never deleted.
///
/// Records are in the order in which they were saved. File names start with the time of saving. The times of a process
/// always increase, even if the clock goes back, and the first is later than all times in the folder. Two processes
/// that save at the same moment are in the order of their clock readings. There is no lock: iOS ends a process that is
/// suspended while it holds a lock in a shared folder, and nothing here needs one.
public struct PendingStore: Sendable {
    /// What a saved record survives.
    public enum Durability: Sendable, Hashable {
        /// The end of the process, even if the process is killed. The system writes the file to the disk some time
        /// later.
        case process
        /// A loss of power too: saving waits for the disk twice (`F_FULLFSYNC` on Apple's systems), some milliseconds
        /// each time.
        case power
    }

    /// The folder with the files of the records.
    public let folder: URL

    /// What a saved record survives.
    public let durability: Durability

    let clock = SaveClock()

    /// Opens a store, and creates its folder if there is none.
    ///
    /// - Parameters:
    ///   - folder: a folder that only the store uses, such as one inside the container of the app group.
    ///   - durability: the events that a saved record survives.
    /// - Throws: why the folder cannot be created.
    public init(folder: URL, durability: Durability = .power) throws(PendingStoreError) {
        self.folder = folder
        self.durability = durability
        try makeFolder(quarantine)
    }

    /// Opens a store that already exists, and writes nothing.
    ///
    /// - Parameter folder: the folder of the store.
    /// - Throws: an error if there is no store in the folder.
    public init(existing folder: URL) throws(PendingStoreError) {
        self.folder = folder
        durability = .power
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: quarantine, isDirectory: &isFolder), isFolder.boolValue else {
            throw PendingStoreError(.open, quarantine, ENOENT)
        }
    }

    #if canImport(Darwin)
        /// Opens the store of an app group; nil if this process does not belong to the group.
        ///
        /// The result is nil if the group is missing from the entitlements. `UserDefaults(suiteName:)`, in contrast,
        /// then returns defaults that no other process reads.
        ///
        /// - Parameter appGroup: the identifier of the group, such as `group.com.example.app`.
        /// - Throws: why the folder cannot be created.
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
    /// An operation of a store.
    public enum Operation: String, Sendable, Hashable {
        case open
        case save
        case read
        case remove
        case restore
    }

    /// The operation that failed.
    public let operation: Operation

    /// The path of the file or folder.
    public let path: String

    /// The system's error number, such as `ENOSPC` for a full disk.
    public let number: Int32

    init(_ operation: Operation, _ path: String, _ number: Int32) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// The operation that failed, and the system's message about the reason.
    public var description: String { "cannot \(operation.rawValue) '\(path)': \(String(cString: strerror(number)))" }
}
