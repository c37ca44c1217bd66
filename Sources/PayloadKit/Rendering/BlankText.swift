// SPDX-License-Identifier: MIT

/// Whether UTF-8 text is empty or only white space, including that of Unicode, such as the ideographic space.
func isBlank(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) { index += 1 }
    if index == bytes.count { return true }
    if bytes[index] < 0x80 { return false }
    let rest = String(decoding: bytes[index...], as: UTF8.self)
    return rest.unicodeScalars.allSatisfy(\.properties.isWhitespace)
}
