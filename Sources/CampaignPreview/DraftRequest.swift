// SPDX-License-Identifier: MIT

import PayloadKit

/// The contents of the page's form, which are not saved: the campaign's text, and values of the context and of
/// profiles.
struct DraftRequest: Sendable {
    /// The revision of the file on which the text is based; nil for the saved file.
    var base: String?

    /// The text of the file in the form; nil for the text of the saved file.
    var text: String?

    /// The names and texts of fields that were edited one by one, in the order in which they replace those in ``text``.
    var fields: [(name: String, text: String)] = []

    /// The names and texts of `api_trigger_properties`.
    var trigger: [(name: String, text: String)] = []

    /// The value of `now`; nil for the one from the command line or a test.
    var now: String?

    /// A value of a profile in the form: the number of the person (nil for the selected one), the namespace, the name
    /// and the text.
    typealias ProfileValue = (person: Int?, namespace: String, name: String, text: String)

    /// The values of profiles that were changed.
    var profile: [ProfileValue] = []

    /// Profiles that were edited as JSON: the number of the person (nil for the selected one), and the text.
    ///
    /// If a person has several texts, the last one is the text in the form, and the ones before it are earlier valid
    /// states.
    var profileJSON: [(person: Int?, text: String)] = []

    /// The key of the branch for which a person has to be added; nil if nobody has to be.
    var add: String?

    /// The number of the added person who has to be removed; nil if nobody has to be.
    var remove: Int?

    /// The name of the field that has to be added, such as `title` or `extras.level`; nil if none has to be.
    var newField: String?

    /// The finding that has to be fixed, as `rule@start`, or `all`; nil if none has to be.
    var fix: String?

    init() {}

    /// Reads the contents of the form.
    ///
    /// - Parameter values: the names and values of the form's controls.
    init(_ values: [(name: String, value: String)]) {
        for (name, value) in values { set(name, value, of: nil) }
        // The key of a new key-value pair comes from a control of its own.
        if newField == "extras" { newField = "extras." + (values.last { $0.name == "key" }?.value ?? "") }
    }

    private mutating func set(_ name: String, _ value: String, of person: Int?) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count) {
        case ("base", 1): base = value.isEmpty ? nil : value
        case ("text", 1): text = Self.plain(value)
        case ("now", 1): now = value
        case ("fix", 1): fix = value
        case ("new", 1): newField = value
        case ("add", 1): add = value
        case ("remove", 1): remove = Int(value)
        case ("profile-json", 1): profileJSON.append((person, Self.plain(value)))
        case ("field", 2): fields.append((parts[1], Self.plain(value)))
        case ("trigger", 2): trigger.append((parts[1], value))
        case ("person", 2):
            // The page's script sends changes of several people, and writes `person:NUMBER:` before the name.
            let rest = parts[1].split(separator: ":", maxSplits: 1).map(String.init)
            if person == nil, rest.count == 2, let number = Int(rest[0]) { set(rest[1], value, of: number) }
        case ("profile", 2):
            let path = parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if path.count == 2 { profile.append((person, path[0], path[1], value)) }
        default: break
        }
    }

    /// A text with line feeds as its only line breaks; a form sends CR LF.
    private static func plain(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\r")) else { return text }
        return LineText(Array(text.utf8)).text
    }
}

extension Value {
    /// The value that a text in the form means, of the same type as the old value if possible: a number stays a number.
    static func edited(_ text: String, like old: Value?) -> Value? {
        if text.isEmpty, old == nil { return nil }
        switch old {
        case .integer?, .bigInteger?:
            switch try? Value(json: text) {
            case .integer(let number)?: return .integer(number)
            case .bigInteger(let number)?: return .bigInteger(number)
            default: return finite(text)
            }
        case .float?: return finite(text)
        case .bool?: return text == "true" ? .bool(true) : text == "false" ? .bool(false) : .string(text)
        case .array?, .object?: return (try? Value(json: text)) ?? .string(text)
        case .time?: return Time(attribute: text).map { .time($0) } ?? .string(text)
        default: return .string(text)
        }
    }

    /// The text as a number; unchanged if it is not a number, or does not fit into a `Double`.
    private static func finite(_ text: String) -> Value {
        if let number = Double(text), number.isFinite { .float(number) } else { .string(text) }
    }

    /// The value as text in a form.
    var shown: String {
        switch self {
        case .null: ""
        case .time(let time): time.iso8601Text
        case .array, .object: json
        default: text
        }
    }

    private var json: String {
        var json = JSONWriter()
        write(json: &json)
        return json.buffer.string()
    }

    /// The name of the value's type, as the page and the command `attributes` show it.
    var typeName: String {
        switch self {
        case .null, .drop: "nil"
        case .bool: "boolean"
        case .integer, .bigInteger: "integer"
        case .float: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        case .range: "range"
        case .time: "time"
        }
    }
}
