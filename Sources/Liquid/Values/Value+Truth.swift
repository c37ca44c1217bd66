// SPDX-License-Identifier: MIT

extension Value {
    /// Whether a condition treats the value as true: every value except nil and false.
    @inline(__always)
    package var isTruthy: Bool {
        switch self {
        case .null, .bool(false): false
        default: true
        }
    }

    /// Whether `value == empty`: an empty string, array or object.
    package var isEmpty: Bool {
        switch self {
        case .string(let string): string.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let object): object.count == 0
        default: false
        }
    }

    /// Whether `value == blank`: nil, false, white space, or empty.
    package var isBlank: Bool {
        switch self {
        case .null, .bool(false): true
        case .string(let string): string.utf8.allSatisfy(\.isRubySpace)
        default: isEmpty
        }
    }
}
