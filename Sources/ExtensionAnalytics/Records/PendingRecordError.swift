// SPDX-License-Identifier: MIT

/// Why Braze would not accept a record.
public struct PendingRecordError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault in the record.
    public enum Fault: Sendable, Hashable {
        /// A name, id or value that is empty.
        case empty
        /// A text of more Unicode scalars than Braze keeps.
        case tooLong(count: Int, limit: Int)
        /// A name that starts with `$`.
        case dollarPrefix
        /// A name that Braze or this library uses for something else.
        case reservedName
        /// A number that JSON cannot represent.
        case notFinite
        /// A time outside the years 0 to 3000.
        case timeOutOfRange
        /// A time inside an array, which Braze does not read as a time.
        case timeInArray
        /// More elements than Braze keeps.
        case tooManyElements(count: Int, limit: Int)
        /// More bytes of JSON than Braze accepts.
        case tooLarge(bytes: Int, limit: Int)
        /// Arrays and objects nested deeper than the limit.
        case tooDeep(limit: Int)
        /// The text `$null`, which archives write for a missing value.
        case nullMarker
        /// A value that the field does not accept.
        case malformed(expected: String)
    }

    /// The fault in the record.
    public let fault: Fault

    /// The path to what is wrong: names of members and positions of elements, such as `["properties", "score"]`.
    public let path: [String]

    init(_ fault: Fault, at path: [String]) {
        self.fault = fault
        self.path = path
    }

    /// What was found and what was expected: lower case, no full stop.
    public var description: String { "\(path.joined(separator: ".")): \(message)" }

    private var message: String {
        switch fault {
        case .empty: "found nothing, expected at least one character"
        case .tooLong(let count, let limit): "found \(count) characters, Braze accepts at most \(limit)"
        case .dollarPrefix: "found a name that begins with '$', which Braze does not accept"
        case .reservedName: "found a reserved name"
        case .notFinite: "found a number that is not finite"
        case .timeOutOfRange: "found a time outside of the years 0 to 3000"
        case .timeInArray: "found a time in an array, where Braze accepts none"
        case .tooManyElements(let count, let limit): "found \(count) elements, Braze accepts at most \(limit)"
        case .tooLarge(let bytes, let limit): "found \(bytes) bytes, Braze accepts at most \(limit)"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .nullMarker: "found '$null', which archives write for a missing value"
        case .malformed(let expected): "expected \(expected)"
        }
    }
}
