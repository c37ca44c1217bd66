// SPDX-License-Identifier: MIT

import Foundation

extension PendingStore {
    /// Moves the files in quarantine back to the records, for example after an update of the app, which may now
    /// understand them.
    ///
    /// - Returns: the number of files that were moved.
    /// - Throws: why a file cannot be moved.
    @discardableResult
    public func restoreQuarantine() throws(PendingStoreError) -> Int {
        var names: [String] = []
        try forEachQuarantined { name in names.append(String(decoding: name, as: UTF8.self)) }
        // A file whose name is taken stays in quarantine: moving it would replace the other file.
        names.removeAll { access(path($0), F_OK) == 0 }
        for name in names where rename(quarantine + "/" + name, path(name)) != 0 {
            throw PendingStoreError(.restore, quarantine + "/" + name, errno)
        }
        return names.count
    }

    /// The number of files in quarantine, whose records are not sent.
    ///
    /// - Throws: why the folder cannot be read.
    public func quarantineCount() throws(PendingStoreError) -> Int {
        var count = 0
        try forEachQuarantined { _ in count += 1 }
        return count
    }

    private func forEachQuarantined(_ body: (UnsafeBufferPointer<UInt8>) -> Void) throws(PendingStoreError) {
        try forEachEntry(of: quarantine) { name in
            if name.first != UInt8(ascii: ".") { body(name) }
        }
    }

    /// Moves a file to quarantine without replacing another file there; returns 0 or an error number (`errno`).
    func moveToQuarantine(_ name: String) -> Int32 {
        let target = quarantine + "/" + name
        let isTaken = access(target, F_OK) == 0
        let free = isTaken ? quarantine + "/" + UUID().uuidString + "-" + name : target
        return rename(path(name), free) == 0 ? 0 : errno
    }
}
