// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts

/// The format of a record's file: one JSON object.
///
/// The object is `{"v": 1, "id", "time", "user"?, "kind", …}`. A time inside a value is `{"$time": "…"}`. A change of
/// an attribute is `{"$inc": 1}`, `{"$add": […]}`, `{"$remove": […]}` or null. No name of a property or attribute
/// starts with `$`.
extension PendingRecord {
    /// The version of the file format.
    ///
    /// A record with another version was written by another version of the app, and is kept in quarantine.
    private static let version = 1

    /// Writes the contents of the record's file.
    func write(into json: inout JSONWriter) {
        json.beginObject()
        json.member("v", Self.version)
        json.member("id", id.uuidString)
        json.member("time", time.iso8601 ?? "")
        if let user {
            json.key("user")
            json.beginObject()
            user.write(into: &json)
            json.endObject()
        }
        switch content {
        case .event(let name, let properties):
            json.member("kind", "event")
            json.member("name", name)
            json.key("properties")
            PropertyValue.object(properties).write(into: &json, .stored)
        case .customAttributes(let changes):
            json.member("kind", "custom_attributes")
            json.key("attributes")
            json.beginObject()
            for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
                json.key(name)
                change.write(into: &json, .stored)
            }
            json.endObject()
        case .userAttribute(let attribute):
            json.member("kind", "user_attribute")
            json.member("name", attribute.field.rawValue)
            json.key("value")
            if let value = attribute.value { value.write(into: &json, .stored) } else { json.null() }
        }
        json.endObject()
    }

    /// Reads the contents of a record's file.
    init(stored bytes: [UInt8]) throws(StoredRecordError) {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONDocument(SourceFile(path: "", bytes: bytes), depthLimit: TrackLimits.depth + 8).root
        } catch {
            throw StoredRecordError("invalid JSON: \(error.message)")
        }
        guard let version = root["v"]?.integer else { throw .missing("v") }
        guard version == Self.version else { throw StoredRecordError("version \(version) is not known") }
        guard let id = root["id"]?.string.flatMap(UUID.init(uuidString:)) else { throw .missing("id") }
        guard let time = root["time"]?.string.flatMap(Date.init(iso8601:)) else { throw .missing("time") }
        let user = try root["user"].map(UserIdentifier.init(stored:))
        let content = try Content(stored: root)
        do throws(PendingRecordError) {
            try self.init(content, user: user, time: time, id: id)
        } catch {
            throw StoredRecordError(error.description)
        }
    }
}

/// Why a file does not contain a record: lower case, no full stop.
struct StoredRecordError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    static func missing(_ member: String) -> StoredRecordError {
        StoredRecordError("'\(member)' is missing or of another type")
    }
}

extension PendingRecord.Content {
    fileprivate init(stored root: JSONNode) throws(StoredRecordError) {
        switch root["kind"]?.string {
        case "event":
            guard let name = root["name"]?.string else { throw .missing("name") }
            guard let node = root["properties"], case .object(let properties) = try PropertyValue(stored: node) else {
                throw .missing("properties")
            }
            self = .event(name: name, properties: properties)
        case "custom_attributes":
            guard let node = root["attributes"], node.kind == .object else { throw .missing("attributes") }
            self = .customAttributes(try node.storedMembers(AttributeChange.init(stored:)))
        case "user_attribute":
            guard let name = root["name"]?.string else { throw .missing("name") }
            guard let field = UserAttribute.Field(rawValue: name) else {
                throw StoredRecordError("the user attribute '\(name)' is not known")
            }
            guard let node = root["value"] else { throw .missing("value") }
            guard !node.isNull else {
                self = .userAttribute(.unset(field))
                return
            }
            guard let attribute = UserAttribute(field, try PropertyValue(stored: node)) else { throw .missing("value") }
            self = .userAttribute(attribute)
        case let kind?: throw StoredRecordError("the kind '\(kind)' is not known")
        case nil: throw .missing("kind")
        }
    }
}

extension UserIdentifier {
    /// Writes the members that identify the user, with the keys that `/users/track` has for them.
    func write(into json: inout JSONWriter) {
        switch self {
        case .brazeID(let id): json.member("braze_id", id)
        case .externalID(let id): json.member("external_id", id)
        case .alias(let name, let label):
            json.key("user_alias")
            json.beginObject()
            json.member("alias_name", name)
            json.member("alias_label", label)
            json.endObject()
        }
    }

    fileprivate init(stored node: JSONNode) throws(StoredRecordError) {
        if let id = node["braze_id"]?.string {
            self = .brazeID(id)
        } else if let id = node["external_id"]?.string {
            self = .externalID(id)
        } else if let alias = node["user_alias"], let name = alias["alias_name"]?.string,
            let label = alias["alias_label"]?.string
        {
            self = .alias(name: name, label: label)
        } else {
            throw .missing("user")
        }
    }
}
