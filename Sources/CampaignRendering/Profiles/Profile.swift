// SPDX-License-Identifier: MIT

public import BrazeLiquid
public import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// A user, read from Braze's export or from the short form.
///
/// The export is the JSON object of `/users/export/ids` and of segment exports, alone or as `{"users": [one]}`; an
/// object with the key `user` is the short form, whose keys are the namespaces of Liquid.
public struct Profile: Sendable {
    /// The id of the record: `external_id`, else `braze_id`; in the short form `user.user_id`, else `user.braze_id`.
    public let id: String?

    /// The id by which Braze addresses the user: `external_id`, or `user.user_id` in the short form; nil if the profile
    /// has none.
    public let externalID: String?

    /// The values that templates may read about the user.
    public let context: RenderContext

    /// The number of devices in the export.
    ///
    /// If there are several, the most recently used one is unknown.
    package let deviceCount: Int

    /// The fields of the export that are not read, because their values have a different type than Braze exports.
    let unreadFields: UnreadFields

    /// A user about whom nothing is known.
    public static let unknown = Profile(context: .empty)

    init(
        id: String?,
        externalID: String?,
        context: RenderContext,
        deviceCount: Int,
        unreadFields: UnreadFields = []
    ) {
        self.id = id
        self.externalID = externalID
        self.context = context
        self.deviceCount = deviceCount
        self.unreadFields = unreadFields
    }

    /// Creates the profile of a context.
    ///
    /// - Parameters:
    ///   - context: the values of the user.
    ///   - idField: the attribute that gives the id; nil to use `user_id` or `braze_id`.
    ///   - number: returns the digits of a numeric attribute as they are written; nil if they are not known.
    init(context: RenderContext, idField: String? = nil, number: (String) -> String? = { _ in nil }) {
        let user = context.members(of: BrazeEnvironment.attributesMember)
        func id(_ name: String) -> String? {
            switch user[name] {
            case .float?, .bigInteger?: number(name) ?? Self.text(user[name])
            default: Self.text(user[name])
            }
        }
        let externalID = id("user_id")
        let id = idField.map { id($0) } ?? externalID ?? id("braze_id")
        self.init(id: id, externalID: externalID, context: context, deviceCount: 0)
    }

    /// A value as an id: a text that is not empty, or a number.
    static func text(_ value: Value?) -> String? {
        switch value {
        case .string(let text)? where !text.isEmpty: text
        case .integer(let number)?: String(number)
        case .bigInteger(let number)?: number.text
        case .float(let number)?: number.description
        default: nil
        }
    }

    /// Reads a profile from JSON.
    ///
    /// - Parameter json: one object; UTF-8, with or without a byte order mark.
    /// - Throws: an error if the JSON is not a profile.
    public init(json: UnsafeBufferPointer<UInt8>) throws(ProfileError) {
        var reader = ProfileReader()
        self = try reader.read(json)
    }

    /// Reads a profile from a file.
    ///
    /// - Throws: an error with its place if the file is not a profile.
    public init(file: SourceFile) throws(InputError) {
        do {
            self = try file.bytes.withUnsafeBufferPointer { bytes throws(ProfileError) in try Profile(json: bytes) }
        } catch {
            var error = error
            if file.isTable { error.message = "found a table (CSV), expected one user as a JSON object" }
            throw InputError(.invalid, [error.diagnostic(in: file)])
        }
    }

    /// Reads the profile at a path.
    ///
    /// - Throws: an error with its place if the file is missing or is not a profile.
    public init(contentsOf path: String) throws(InputError) {
        guard let file = DiskFolder.file(at: path) else { throw .missing(path, .profileSyntax) }
        try self.init(file: file)
    }
}

/// Fields of an export that are not read, because their values have a different type than Braze exports.
struct UnreadFields: OptionSet {
    let rawValue: UInt32

    static let customAttributes = UnreadFields(rawValue: 1)
    static let users = UnreadFields(rawValue: 2)
    static let apps = UnreadFields(rawValue: 4)
    static let devices = UnreadFields(rawValue: 8)
    static let subscription = UnreadFields(rawValue: 16)

    /// The attribute of ``AttributeTable/bare`` with this index.
    static func attribute(_ index: Int) -> UnreadFields { UnreadFields(rawValue: 32 << UInt32(index)) }

    private static let all: [(field: UnreadFields, name: String, expected: String)] =
        [
            (.customAttributes, "custom_attributes", "an object of names and values"),
            (.users, "users", "a list of one user"), (.apps, "apps", "a list of objects"),
            (.devices, "devices", "a list of objects"), (.subscription, "email_subscribe", "a text"),
        ]
        + AttributeTable.bare.enumerated().compactMap { index, attribute in
            attribute.exportField.map { (.attribute(index), $0, expectation(of: attribute.type)) }
        }

    private static func expectation(of type: AttributeDescription.ValueType) -> String {
        switch type {
        case .array: "a list of two numbers"
        case .integer: "a number"
        default: "a text"
        }
    }

    /// One message for each of the fields.
    var messages: [String] {
        Self.all.filter { contains($0.field) }.map { Self.message($0.name, $0.expected) }
    }

    private static func message(_ name: String, _ expected: String) -> String {
        "'\(name)' is not read, expected \(expected)"
    }

    /// The messages about the fields, each with the range of the field's value.
    ///
    /// - Parameter text: the JSON that the profile was read from.
    /// - Returns: the messages with their ranges.
    func places(in text: UnsafeBufferPointer<UInt8>) -> [(message: String, range: SourceRange)] {
        var ranges = Self.ranges(ofMembersIn: text)
        if let users = ranges["users"] {
            let start = Int(users.start)
            var json = JSONReader(UnsafeBufferPointer(rebasing: text[users.offsets]))
            if (try? json.readValue()) == .array, (try? json.nextElement()) == true, let user = try? json.skipValue() {
                let offset = start + Int(user.start)
                for (name, range) in Self.ranges(ofMembersIn: UnsafeBufferPointer(rebasing: text[offset...])) {
                    ranges[name] = SourceRange(offset + Int(range.start), offset + Int(range.end))
                }
            }
        }
        return Self.all.filter { contains($0.field) }.compactMap { field in
            ranges[field.name].map { (Self.message(field.name, field.expected), $0) }
        }
    }

    /// The ranges of the member values in the object at the start of a text; if a name occurs twice, the last value
    /// counts.
    private static func ranges(ofMembersIn text: UnsafeBufferPointer<UInt8>) -> [String: SourceRange] {
        var ranges: [String: SourceRange] = [:]
        var json = JSONReader(text)
        do throws(JSONError) {
            guard try json.readValue() == .object else { return [:] }
            while let key = try json.nextKey() {
                let name = json.string(key)
                ranges[name] = try json.skipValue()
            }
        } catch {
            // Cannot happen: the same bytes were read without errors before.
        }
        return ranges
    }
}

/// The reason that a text is not a valid profile, context or set of properties.
public struct ProfileError: Error, Sendable, Hashable {
    /// What was found and what was expected: lower case, no full stop.
    public var message: String

    /// Where the error is, in bytes from the start of the text.
    public var range: SourceRange

    init(_ message: String, at range: SourceRange) {
        self.message = message
        self.range = range
    }

    init(_ error: JSONError) {
        message = error.message
        range = error.range
    }

    /// The error as a finding in a file.
    public func diagnostic(in file: SourceFile) -> Diagnostic {
        Diagnostic(.profileSyntax, message, at: SourcePlace(file, range))
    }
}
