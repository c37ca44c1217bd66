// SPDX-License-Identifier: MIT

import BrazeLiquid
import Liquid
import SourceText

/// Reads one profile in one pass over its JSON; what no attribute comes from is passed over unread.
///
/// A field that is null counts as left out. Of keys that come twice the last wins.
struct ProfileReader {
    private var bare: [Value?] = Array(repeating: nil, count: AttributeTable.bare.count)
    private var customAttributes: LiquidObject = .empty
    private var subscription: Value?
    private var device: LiquidObject?
    private var deviceCount = 0
    private var lastUse: (date: Time, version: Value)?
    /// Whether the key `user` was seen, which makes the object the short form.
    private var isShortForm = false
    /// What is no fault of JSON.
    private var problem: ProfileError?

    static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(ProfileError) -> Profile {
        var reader = ProfileReader()
        do throws(JSONError) {
            var json = JSONReader(bytes)
            try reader.readUser(&json, isRoot: true)
            try json.finish()
        } catch {
            throw ProfileError(error)
        }
        if let problem = reader.problem { throw problem }
        guard reader.isShortForm else { return reader.profile() }
        let context = try ContextReader.read(bytes, what: "a profile")
        return Profile(context: context)
    }

    // MARK: - Reading

    private mutating func readUser(_ json: inout JSONReader, isRoot: Bool) throws(JSONError) {
        let token = try json.readValue()
        guard token == .object else {
            problem = ProfileError("found \(token.kindName), expected the object of one user", at: json.tokenRange)
            return try json.skipRest(of: token)
        }
        while let key = try json.nextKey() { try readMember(key, &json, isRoot: isRoot) }
    }

    private mutating func readMember(_ key: JSONText, _ json: inout JSONReader, isRoot: Bool) throws(JSONError) {
        if json.matches(key, "custom_attributes") {
            customAttributes = try json.readObject() ?? .empty
        } else if json.matches(key, "apps") {
            try readApps(&json)
        } else if json.matches(key, "devices") {
            try readDevices(&json)
        } else if json.matches(key, "email_subscribe") {
            subscription = try json.readPresentValue()
        } else if isRoot, json.matches(key, "users") {
            try readUsers(&json)
        } else if let index = Self.bareIndex(of: key, json) {
            bare[index] = try json.readPresentValue()
        } else {
            if isRoot, json.matches(key, "user") { isShortForm = true }
            try json.skipValue()
        }
    }

    private mutating func readUsers(_ json: inout JSONReader) throws(JSONError) {
        let token = try json.readValue()
        let range = json.tokenRange
        guard token == .array else { return try json.skipRest(of: token) }
        var count = 0
        while try json.nextElement() {
            count += 1
            if count == 1 { try readUser(&json, isRoot: false) } else { try json.skipValue() }
        }
        if count != 1 { problem = ProfileError("'users' holds \(count) users, expected one", at: range) }
    }

    private mutating func readApps(_ json: inout JSONReader) throws(JSONError) {
        lastUse = nil
        let token = try json.readValue()
        guard token == .array else { return try json.skipRest(of: token) }
        while try json.nextElement() {
            guard let app = try json.readObject() else { continue }
            guard case .string(let text)? = app["last_used"], let date = Time(attribute: text) else { continue }
            if let lastUse, !(lastUse.date < date) { continue }
            lastUse = (date, app["version"] ?? .null)
        }
    }

    private mutating func readDevices(_ json: inout JSONReader) throws(JSONError) {
        device = nil
        deviceCount = 0
        let token = try json.readValue()
        guard token == .array else { return try json.skipRest(of: token) }
        while try json.nextElement() {
            deviceCount += 1
            guard let exported = try json.readObject() else { continue }
            var builder = LiquidObject.Builder()
            for field in AttributeTable.deviceFields {
                guard let name = field.name, let value = field.exportField.flatMap({ exported[$0] }) else { continue }
                builder.set(name, value)
            }
            device = LiquidObject(builder)
        }
    }

    private static func bareIndex(of key: JSONText, _ json: borrowing JSONReader) -> Int? {
        for (index, field) in bareFields.enumerated() where json.matches(key, field) { return index }
        return nil
    }

    /// The fields of an export in the order of ``AttributeTable/bare``; empty where there is none.
    private static let bareFields: [[UInt8]] = AttributeTable.bare.map { Array(($0.exportField ?? "").utf8) }

    // MARK: - The result

    private consuming func profile() -> Profile {
        var members = LiquidObject.Builder()
        for (attribute, value) in zip(AttributeTable.bare, bare) {
            guard let name = attribute.name, let value else { continue }
            members.set(name, value)
        }
        if let lastUse {
            members.set("last_used_app_date", .time(lastUse.date))
            if case .null = lastUse.version {} else { members.set("most_recent_app_version", lastUse.version) }
        }
        let user = LiquidObject(members)
        var namespaces = [(name: BrazeEnvironment.attributesMember, members: user)]
        if customAttributes.count > 0 { namespaces.append(("custom_attribute", customAttributes)) }
        if let subscription {
            namespaces.append(("subscribed_state", LiquidObject([(key: "email_global", value: subscription)])))
        }
        if deviceCount == 1, let device { namespaces.append(("most_recently_used_device", device)) }
        return Profile(context: RenderContext(namespaces: namespaces), deviceCount: deviceCount)
    }
}
