// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles

/// Lists and removes the files in the folder of a store.
extension PendingStore {
    /// The prefix of a file's name while the file is being written.
    static let temporaryPrefix = "."

    /// Calls `body` with the name of each record's file in the folder, except temporary files, in no particular order.
    ///
    /// The folder is read one name at a time, so memory does not grow with the number of files.
    func forEachName(_ body: (String) -> Void) throws(PendingStoreError) {
        try forEachEntry(of: folder.path) { name in
            if name.first != UInt8(ascii: "."),
                name.suffix(FileName.suffix.utf8.count).elementsEqual(FileName.suffix.utf8)
            {
                body(String(decoding: name, as: UTF8.self))
            }
        }
    }

    /// The first names after a given one, about `limit` of them, in order.
    ///
    /// If a folder is read while a process saves two records, the later one may be seen without the earlier one. So the
    /// folder is read a second time, up to the last name seen: everything saved before that name is there by now.
    func names(after last: String, limit: Int) throws(PendingStoreError) -> [String] {
        var names: [String] = []
        var bound: String?
        try forEachName { name in
            guard name > last, bound.map({ name < $0 }) ?? true else { return }
            names.append(name)
            if names.count == 2 * limit {
                names.sort()
                names.removeLast(limit)
                bound = names.last
            }
        }
        names.sort()
        guard let end = names.prefix(limit).last else { return [] }
        names.removeAll(keepingCapacity: true)
        try forEachName { name in
            if name > last, name <= end { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes temporary files that are more than a day old, which were left by processes that ended while saving.
    ///
    /// A day is far longer than a save takes. A save that nevertheless takes longer fails with an error.
    func removeAbandonedFiles() throws(PendingStoreError) {
        let yesterday = Int(Date().timeIntervalSince1970) - 86_400
        try forEachEntry(of: folder.path) { name in
            guard name.count > 2, name.first == UInt8(ascii: ".") else { return }
            let name = String(decoding: name, as: UTF8.self)
            guard FileName(String(name.dropFirst(Self.temporaryPrefix.utf8.count))) != nil else { return }
            var status = stat()
            if lstat(path(name), &status) == 0, status.modificationSeconds < yesterday { unlink(path(name)) }
        }
    }

    func forEachEntry(
        of folder: String,
        _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(PendingStoreError) {
        let error = FolderEntries.read(folder) { name, _ in body(name) }
        if let error { throw PendingStoreError(.read, folder, error) }
    }
}

extension stat {
    fileprivate var modificationSeconds: Int {
        #if canImport(Darwin)
            st_mtimespec.tv_sec
        #else
            st_mtim.tv_sec
        #endif
    }
}
