// SPDX-License-Identifier: MIT

/// Whether a JSON string is open, as the bytes of a text are read.
struct JSONStringState {
    /// Whether a string is open.
    private(set) var isInString: Bool
    private var isEscaped = false

    init(isInString: Bool = false) { self.isInString = isInString }

    /// Reads the next byte.
    mutating func read(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\"") {
            isInString.toggle()
        } else if byte == UInt8(ascii: "\\"), isInString {
            isEscaped = true
        }
    }
}
