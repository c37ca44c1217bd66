// SPDX-License-Identifier: MIT

import JSONTexts

/// Whether UTF-8 text is empty or only white space, including Unicode white space such as the ideographic space.
func isBlank(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) { index += 1 }
    if index == bytes.count { return true }
    if bytes[index] < 0x80 { return false }
    let rest = String(decoding: bytes[index...], as: UTF8.self)
    return rest.unicodeScalars.allSatisfy(\.properties.isWhitespace)
}

/// Whether UTF-8 text is JSON without content: `null`, or a string that is empty or only white space.
func isBlankJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = bytes.firstIndex(where: { $0 > 0x20 }),
        bytes[start] == UInt8(ascii: "n") || bytes[start] == UInt8(ascii: "\"")
    else { return false }
    var json = JSONReader(bytes)
    guard let value = try? json.readValue() else { return false }
    var text = ""
    switch value {
    case .null: break
    case .string(let string): text = json.string(string)
    default: return false
    }
    return (try? json.finish()) != nil && text.withUTF8 { isBlank($0) }
}
