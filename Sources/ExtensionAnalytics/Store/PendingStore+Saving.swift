// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts
import POSIXFiles

extension PendingStore {
    /// Saves a record.
    ///
    /// The file is written under a name that readers ignore and is then renamed, which is atomic. With
    /// ``Durability/power``, the bytes of the file are written through to the disk before the renaming, because a name
    /// without bytes would be a lost record, and the folder is written through after it. So the call waits for the disk
    /// twice: some milliseconds each time, and far longer while other processes write. On the main thread, use
    /// ``saveInBackground(_:)``, or ``Durability/process``, which does not wait. Removing a record never waits for the
    /// disk: after a loss of power, a removed record may be back and is then sent twice.
    ///
    /// - Throws: why the record cannot be saved, for example because the disk is full; records saved earlier are not
    ///   affected.
    public func save(_ record: PendingRecord) throws(PendingStoreError) {
        let instant = try clock.next { () throws(PendingStoreError) in try newestInstant() }
        let name = FileName(instant: instant, id: record.id).text
        var json = JSONWriter(into: ByteBuffer(capacity: 512))
        record.write(into: &json)
        try write(json.buffer.withUnsafeBytes { Array($0) }, to: name)
    }

    /// Saves a record on a background thread, so that the calling thread, such as the main thread, does not wait for
    /// the disk.
    ///
    /// The record is saved when the call returns, and not before: an extension awaits the call before it calls its
    /// completion handler. Records are in the order in which their saves began; if the order matters, await one save
    /// before beginning the next.
    ///
    /// - Throws: the same errors as ``save(_:)``.
    public func saveInBackground(_ record: PendingRecord) async throws(PendingStoreError) {
        let result: Result<Void, PendingStoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                do throws(PendingStoreError) {
                    try save(record)
                    continuation.resume(returning: .success(()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        try result.get()
    }

    /// Writes a file completely; if a file has the name already, it is replaced.
    func write(_ bytes: [UInt8], to name: String) throws(PendingStoreError) {
        let temporary = path(Self.temporaryPrefix + name)
        let final = path(name)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PendingStoreError(.save, final, errno) }
        var fault = bytes.withUnsafeBytes { Descriptor.write($0, to: descriptor) }
        if fault == 0, durability == .power { fault = Descriptor.synchronize(descriptor) }
        if close(descriptor) != 0, fault == 0 { fault = errno }
        if fault == 0, rename(temporary, final) != 0 { fault = errno }
        guard fault == 0 else {
            unlink(temporary)
            throw PendingStoreError(.save, final, fault)
        }
        if durability == .power { synchronizeFolder() }
    }

    /// Waits until the names in the folder are on the disk.
    ///
    /// The record is already saved, so it is not an error if the system cannot do this for folders.
    private func synchronizeFolder() {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = Descriptor.synchronize(descriptor)
        close(descriptor)
    }

    /// The time in the latest file name of the folder, in nanoseconds since 1970; 0 if the folder has no files.
    private func newestInstant() throws(PendingStoreError) -> UInt64 {
        var newest: UInt64 = 0
        try forEachName { name in
            if let instant = FileName(name)?.instant { newest = max(newest, instant) }
        }
        return newest
    }
}
