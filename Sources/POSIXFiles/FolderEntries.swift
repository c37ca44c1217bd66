// SPDX-License-Identifier: MIT

import PlatformLibc

/// Reads the entries of a folder one by one, so that memory does not grow with their number.
package enum FolderEntries {
    /// Calls a function with each entry of a folder except `.` and `..`, in no particular order.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder.
    ///   - body: takes the bytes of the name, which are valid only during the call, and the type, such as `DT_REG`.
    /// - Returns: the error number (`errno`) if reading failed; nil if all entries were read.
    package static func read(
        _ folder: String,
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ type: Int32) -> Void
    ) -> Int32? {
        guard let stream = opendir(folder) else { return errno }
        defer { closedir(stream) }
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return EINVAL }
        errno = 0
        while let entry = readdir(stream) {
            let name = UnsafeRawPointer(entry) + nameOffset
            let count = strlen(name.assumingMemoryBound(to: CChar.self))
            let bytes = UnsafeBufferPointer(start: name.assumingMemoryBound(to: UInt8.self), count: count)
            let isDots = bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8)
            if !isDots { body(bytes, Int32(entry.pointee.d_type)) }
            errno = 0
        }
        return errno == 0 ? nil : errno
    }
}
