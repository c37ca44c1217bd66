// SPDX-License-Identifier: MIT

/// A binary property list made from up to 255 stored objects, the first of which is the outermost one.
///
/// References take one byte.
package func binaryPlist(_ objects: [[UInt8]], version: String = "00") -> [UInt8] {
    var bytes = Array("bplist\(version)".utf8)
    var offsets: [UInt8] = []
    for object in objects {
        offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
    return bytes + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 0xFF)]
}
