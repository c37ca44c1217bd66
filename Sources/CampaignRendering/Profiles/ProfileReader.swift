// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// Reads profiles, each in one pass over its JSON; fields that are not needed are checked and skipped.
///
/// A field that is null counts as missing. If a key occurs twice, its last value counts. A reader reuses its memory.
struct ProfileReader {
    /// The members of an export that the reader needs, by how it reads them.
    private enum Member {
        case bare(Int)
        /// An attribute that is a list.
        case list(Int)
        /// An attribute that may also be the id.
        case bareID(Int)
        /// The attribute that gives the id if no other member does, for a campaign whose templates do not read this
        /// attribute.
        case fallbackID
        case customAttributes
        case apps
        case devices
        case subscription
        /// The list that may wrap one exported user.
        case users
        /// The key by which the short form is recognized.
        case user
        /// The key `status`, which every record of a batch has, to detect records in place of profiles.
        case status
        case id
    }

    private let fields: ProfileFields
    private let members: [Member]
    private let memberNames: JSONNames
    private let customNames: JSONNames
    private let readsAllCustom: Bool

    private var bare = ObjectShapes(AttributeTable.bare.compactMap(\.name))
    private var custom: ObjectShapes
    private var marks = TextMarks()
    private var customAttributes: LiquidObject?
    private var hasCustomAttributes = false
    private var subscription: Value?
    private var device: LiquidObject?
    private var deviceCount = 0
    private var lastUse: (date: Time, version: Value)?
    private var id: String?
    /// For attributes that may give the id: the digits of a number, as they are written.
    private var userIDNumber: String?
    private var brazeIDNumber: String?
    /// The range of the value of ``Member/fallbackID``.
    private var fallbackID: SourceRange?
    private var isShortForm = false
    private var unreadFields: UnreadFields = []
    /// The range of a `status` such as a batch writes, which shows that the input is the output of a batch; nil if
    /// there is none.
    private var recordStatus: SourceRange?
    /// A fault in the profile that is not a fault in the JSON.
    private var problem: ProfileError?

    /// An empty object that only this reader uses: threads that share an object wait for each other to change its
    /// reference count.
    private let none = LiquidObject(LiquidObject.Builder())

    /// The namespaces of the last profile, in an array that the next profile reuses.
    private var namespaces: [(name: String, members: LiquidObject)] = []
    /// One bit for each optional namespace that is in ``namespaces``.
    private var namespaceBits = 0

    /// Creates a reader.
    ///
    /// - Parameter fields: the fields that are needed.
    init(_ fields: ProfileFields = .all) {
        self.fields = fields
        // A shape has 64 bits; if more attributes are needed, all are read.
        let names = fields.customAttributes.flatMap { $0.count <= 64 ? $0 : nil }
        customNames = JSONNames(names ?? [])
        custom = ObjectShapes(names ?? [])
        readsAllCustom = names == nil
        var members: [(name: String, member: Member)] = [
            ("custom_attributes", .customAttributes), ("users", .users), ("user", .user), ("status", .status),
        ]
        if fields.readsApps { members.append(("apps", .apps)) }
        if fields.readsDevices { members.append(("devices", .devices)) }
        if fields.readsSubscription { members.append(("email_subscribe", .subscription)) }
        for (index, attribute) in AttributeTable.bare.enumerated() where fields.bare[index] {
            guard let field = attribute.exportField, !field.contains("[") else { continue }
            let mayBeID = index == Self.userIDIndex || index == Self.brazeIDIndex
            if index == Self.brazeIDIndex, !fields.readsBrazeID {
                members.append((field, .fallbackID))
            } else if attribute.type == .array {
                members.append((field, .list(index)))
            } else {
                members.append((field, mayBeID ? .bareID(index) : .bare(index)))
            }
        }
        if let idField = fields.idField { members.append((idField, .id)) }
        self.members = members.map(\.member)
        memberNames = JSONNames(members.map(\.name))
    }

    /// Reads a profile.
    ///
    /// - Parameter bytes: the JSON.
    /// - Returns: the profile with the fields that are needed; in the short form, with all fields.
    /// - Throws: the first fault in the JSON, or the reason that the value is not a profile.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(ProfileError) -> Profile {
        reset()
        do throws(JSONError) {
            var json = JSONReader(bytes, reusing: &marks)
            json.requiresFiniteNumbers = true
            defer { json.returnMarks(to: &marks) }
            try readUser(&json, isRoot: true)
            try json.finish()
        } catch {
            throw ProfileError(error)
        }
        if let problem { throw problem }
        if let recordStatus, Self.isRecord(bytes) {
            throw ProfileError(
                "found a record that 'render' wrote, expected one user as a JSON object",
                at: recordStatus
            )
        }
        guard isShortForm else { return profile(bytes) }
        return Profile(context: try ContextReader.read(bytes, what: "a profile"), idField: fields.idField) { name in
            Self.number(name, ofUserIn: bytes)
        }
    }

    private mutating func reset() {
        bare.removeAll()
        custom.removeAll()
        customAttributes = nil
        hasCustomAttributes = false
        subscription = nil
        device = nil
        deviceCount = 0
        lastUse = nil
        id = nil
        userIDNumber = nil
        brazeIDNumber = nil
        fallbackID = nil
        isShortForm = false
        unreadFields = []
        recordStatus = nil
        problem = nil
    }

    // MARK: - Reading

    private mutating func readUser(_ json: inout JSONReader, isRoot: Bool) throws(JSONError) {
        let token = try json.readValue()
        guard case .object = token else {
            problem = ProfileError("found \(token.kindName), expected one user as a JSON object", at: json.tokenRange)
            return try json.skipRest(of: token)
        }
        while let (key, index) = try json.nextKey(among: memberNames) {
            let start = json.position
            try read(members[index], &json, isRoot: isRoot)
            // The same field may be needed twice, as an attribute and as the id.
            if fields.idField != nil, let other = memberNames.index(of: key, from: index + 1, in: json.bytes) {
                json.move(to: start)
                try read(members[other], &json, isRoot: isRoot)
            }
        }
    }

    private mutating func read(_ member: Member, _ json: inout JSONReader, isRoot: Bool) throws(JSONError) {
        switch member {
        case .bare(let index): bare[index] = try readScalar(of: .attribute(index), &json)
        case .list(let index): try readList(index, &json)
        case .bareID(let index): try readID(index, &json)
        case .fallbackID: fallbackID = try json.skipValue()
        case .customAttributes: try readCustomAttributes(&json)
        case .apps: try readApps(&json)
        case .devices: try readDevices(&json)
        case .subscription: subscription = try readScalar(of: .subscription, &json)
        case .id:
            let value = try json.readPresentValue()
            id = json.number(value) ?? Profile.text(value)
        case .users: if isRoot { try readUsers(&json) } else { try json.skipValue() }
        case .user:
            if isRoot { isShortForm = true }
            try json.skipValue()
        case .status: if isRoot { try readStatus(&json) } else { try json.skipValue() }
        }
    }

    /// Reads a field whose value in an export is neither a list nor an object; returns nil for null, a list or an
    /// object.
    @inline(__always)
    private mutating func readScalar(
        of field: UnreadFields,
        _ json: inout JSONReader
    ) throws(JSONError) -> Value? {
        let value = try json.readPresentValue()
        if !unreadFields.isEmpty { unreadFields.remove(field) }
        switch value {
        case .array?, .object?:
            unreadFields.insert(field)
            return nil
        default: return value
        }
    }

    private mutating func readList(_ index: Int, _ json: inout JSONReader) throws(JSONError) {
        let value = try json.readPresentValue()
        unreadFields.remove(.attribute(index))
        bare[index] = nil
        switch value {
        case .array?: bare[index] = value
        case nil: break
        default: unreadFields.insert(.attribute(index))
        }
    }

    private mutating func readStatus(_ json: inout JSONReader) throws(JSONError) {
        let token = try json.readValue()
        let range = json.tokenRange
        guard case .string(let text) = token else { return try json.skipRest(of: token) }
        recordStatus = Record.statuses.contains(json.string(text)) ? range : nil
    }

    /// Whether an object with a `status` also has `payload`, `reason` or `error`, and is thus the output of a batch and
    /// not a user.
    private static func isRecord(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var json = JSONReader(bytes)
        let names = JSONNames(["payload", "reason", "error"])
        guard (try? json.readValue()) == .object else { return false }
        return (try? json.nextKey(among: names)) != nil
    }

    private mutating func readID(_ index: Int, _ json: inout JSONReader) throws(JSONError) {
        let value = try readScalar(of: .attribute(index), &json)
        bare[index] = value
        if index == Self.userIDIndex { userIDNumber = json.number(value) } else { brazeIDNumber = json.number(value) }
    }

    /// A number among the attributes of the short form, as it is written; nil if Liquid prints it the same way, or if
    /// the value is not a number.
    private static func number(_ name: String, ofUserIn bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var number: String?
        do throws(JSONError) {
            var json = JSONReader(bytes)
            guard try json.readValue() == .object else { return nil }
            while let key = try json.nextKey() {
                guard json.matches(key, Array("user".utf8)) else {
                    try json.skipValue()
                    continue
                }
                number = nil
                let token = try json.readValue()
                guard token == .object else {
                    try json.skipRest(of: token)
                    continue
                }
                while let key = try json.nextKey() {
                    let isNamed = json.matches(key, Array(name.utf8))
                    let value = try json.readAnyValue()
                    if isNamed { number = json.number(value) }
                }
            }
        } catch {
            // Cannot happen: the same bytes were read without errors before.
            return nil
        }
        return number
    }

    private mutating func readUsers(_ json: inout JSONReader) throws(JSONError) {
        let token = try json.readValue()
        let range = json.tokenRange
        guard case .array = token else { return try skip(token, of: .users, &json) }
        var count = 0
        while try json.nextElement() {
            count += 1
            if count == 1 { try readUser(&json, isRoot: false) } else { try json.skipValue() }
        }
        if count != 1 { problem = ProfileError("'users' holds \(count) users, expected one", at: range) }
    }

    /// Skips the value of a field whose type differs from Braze's exports; null counts as missing.
    private mutating func skip(
        _ token: JSONToken,
        of field: UnreadFields,
        _ json: inout JSONReader
    ) throws(JSONError) {
        if token != .null { unreadFields.insert(field) }
        try json.skipRest(of: token)
    }

    private mutating func readCustomAttributes(_ json: inout JSONReader) throws(JSONError) {
        hasCustomAttributes = false
        unreadFields.remove(.customAttributes)
        if readsAllCustom { customAttributes = nil } else { custom.removeAll() }
        let token = try json.readValue()
        guard case .object = token else {
            let isNeeded = readsAllCustom || fields.customAttributes?.isEmpty == false
            return isNeeded ? try skip(token, of: .customAttributes, &json) : try json.skipRest(of: token)
        }
        if readsAllCustom {
            let attributes = try json.objectMembers()
            customAttributes = attributes
            hasCustomAttributes = attributes.count > 0
            return
        }
        hasCustomAttributes = !json.isAtClosingBracket()
        while let (_, index) = try json.nextKey(among: customNames) { custom[index] = try json.readAnyValue() }
    }

    private mutating func readApps(_ json: inout JSONReader) throws(JSONError) {
        lastUse = nil
        let token = try json.readValue()
        guard case .array = token else { return try skip(token, of: .apps, &json) }
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
        guard case .array = token else { return try skip(token, of: .devices, &json) }
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

    // MARK: - The result

    private mutating func profile(_ bytes: UnsafeBufferPointer<UInt8>) -> Profile {
        if let lastUse {
            bare[Self.lastUseIndex] = .time(lastUse.date)
            if case .null = lastUse.version {} else { bare[Self.versionIndex] = lastUse.version }
        }
        let externalID = userIDNumber ?? Profile.text(bare[Self.userIDIndex])
        let id = fields.idField == nil ? externalID ?? brazeID(in: bytes) : id
        setNamespaces()
        return Profile(
            id: id,
            externalID: externalID,
            context: RenderContext(namespaces: namespaces, variables: none, fixtures: none),
            deviceCount: deviceCount,
            unreadFields: unreadFields
        )
    }

    private mutating func setNamespaces() {
        let singleDevice = deviceCount == 1 ? device : nil
        let bits = (hasCustomAttributes ? 1 : 0) | (subscription != nil ? 2 : 0) | (singleDevice != nil ? 4 : 0)
        if bits != namespaceBits || namespaces.isEmpty {
            namespaceBits = bits
            namespaces = [(BrazeEnvironment.attributesMember, none)]
            if hasCustomAttributes { namespaces.append(("custom_attribute", none)) }
            if subscription != nil { namespaces.append(("subscribed_state", none)) }
            if singleDevice != nil { namespaces.append(("most_recently_used_device", none)) }
        }
        namespaces[0].members = bare.takeObject()
        var index = 1
        if hasCustomAttributes {
            namespaces[index].members = readsAllCustom ? customAttributes ?? none : custom.takeObject()
            index += 1
        }
        if let subscription {
            namespaces[index].members = LiquidObject([(key: "email_global", value: subscription)])
            index += 1
        }
        if let singleDevice { namespaces[index].members = singleDevice }
    }

    private func brazeID(in bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let fallbackID else { return brazeIDNumber ?? Profile.text(bare[Self.brazeIDIndex]) }
        var json = JSONReader(UnsafeBufferPointer(rebasing: bytes[fallbackID.offsets]))
        // The same bytes were read without errors before.
        guard let value = try? json.readPresentValue() else { return nil }
        return json.number(value) ?? Profile.text(value)
    }

    private static let userIDIndex = index(of: "user_id")
    private static let brazeIDIndex = index(of: "braze_id")
    private static let lastUseIndex = index(of: "last_used_app_date")
    private static let versionIndex = index(of: "most_recent_app_version")

    private static func index(of name: String) -> Int { AttributeTable.bare.firstIndex { $0.name == name } ?? 0 }
}
