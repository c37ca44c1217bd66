// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import JSONTexts
import LiquidDocumentValues
import LiquidTemplates
import PayloadKit
import ScalarTexts

extension RuleMessage {
    fileprivate static func otherType(_ name: String, _ type: String, _ found: String) -> RuleMessage {
        "'\(name)' is declared as \(type) under 'attributes', found \(found)"
    }
    fileprivate static func unknownField(_ name: String, meant: String) -> RuleMessage {
        "an export of Braze has no field '\(name)', so it is left out; expected '\(meant)'"
    }
    fileprivate static func unknownName(_ name: String, meant: String) -> RuleMessage {
        "Liquid has no '${\(name)}', so no text reads it; did you mean '\(meant)'?"
    }
    fileprivate static func unknownZone(_ name: String, near: String?) -> RuleMessage {
        "unknown time zone '\(name)', with which 'time_zone' fails for the user\(near.map { ", expected one such as '\($0)'" } ?? "")"
    }
    fileprivate static func value(_ field: String, _ value: String, _ expected: String) -> RuleMessage {
        "Braze exports no '\(field)' such as '\(value)': \(expected)"
    }
    fileprivate static func noText(_ field: String, _ found: String) -> RuleMessage {
        "Braze exports '\(field)' as a text, found \(found)"
    }
    fileprivate static func noBoolean(_ field: String, _ found: String) -> RuleMessage {
        "Braze exports '\(field)' as true or false, found \(found)"
    }
    fileprivate static func noObject(_ field: String) -> RuleMessage {
        "'\(field)' is not read, expected an object of names and values"
    }
    fileprivate static func twice(_ name: String) -> RuleMessage {
        "the key '\(name)' occurs twice, and the last one counts; expected it once"
    }
    fileprivate static func attributeAtTop(_ name: String) -> RuleMessage {
        "an export of Braze has no field '\(name)', so it is left out; expected it under 'custom_attributes'"
    }
    fileprivate static func noTime(_ name: String, _ text: String) -> RuleMessage {
        let objection =
            CivilTime(dateAtStartOf: text) == nil
            ? "times are written like '2026-11-20T09:00:00Z'" : "there is no such time"
        return "'\(name)' is an object and not a time, as '$time' is '\(text)': \(objection)"
    }
    fileprivate static func noTime(_ name: String) -> RuleMessage {
        "'\(name)' is an object and not a time, expected nothing but a text under '$time'"
    }
}

/// A profile whose fields are checked, either as Braze exports it or in the short form.
struct ExportedProfile {
    /// The file with the profile, or the line of the file that is the profile.
    let file: SourceFile

    /// The field names in an export, by the names of the attributes in Liquid.
    private static let exportNames: [String: String] = {
        var names: [String: String] = ["custom_attribute": "custom_attributes", "attributes": "custom_attributes"]
        for attribute in AttributeTable.all where attribute.namespace == nil {
            guard let name = attribute.name, let field = attribute.exportField, field != name, !field.contains("[")
            else { continue }
            names[name] = field
        }
        return names
    }()

    /// The fields of an export that Liquid can read.
    private static let readFields: Set<String> = Set(
        AttributeTable.all.compactMap(\.exportField).map { String($0.prefix { $0 != "[" }) } + [
            "custom_attributes", "devices", "apps",
        ]
    )

    /// The other known fields of a profile, which Liquid does not read.
    ///
    /// Source: Braze, "Export user profile by identifier".
    private static let otherFields: Set<String> = [
        "attributed_ad", "attributed_adgroup", "attributed_campaign", "attributed_source", "campaigns_received",
        "canvases_received", "cards_clicked", "created_at", "custom_events", "email_opted_in_at", "email_subscribe",
        "email_unsubscribed_at", "last_coordinates", "purchases", "push_opted_in_at", "push_subscribe", "push_tokens",
        "push_unsubscribed_at", "total_revenue", "uninstalled_at", "user_aliases", "random_bucket", "user",
    ]

    private func place(_ range: SourceRange) -> SourcePlace { SourcePlace(file, range) }

    /// The findings about the fields of the profile.
    ///
    /// - Parameters:
    ///   - attributes: the custom attributes that the texts read.
    ///   - types: the declared types of custom attributes.
    /// - Returns: the findings.
    func findings(reading attributes: Set<String>, types: [String: AttributeType]) -> [Finding] {
        guard let root = try? DocumentNode.json(file, rule: .profileSyntax) else { return [] }
        var user = root
        if let users = root["users"]?.elements {
            // The reader of profiles reports a file without users.
            guard let first = users.first else { return [] }
            user = first
        }
        let custom = user["custom_attributes"]?.members ?? []
        var found = attributeFindings(custom, attributes) + typeFindings(custom, types)
        found += repeatedKeyFindings + root.writtenTimeFindings(in: file)
        if let short = user["user"] { return zoneFindings(short) + nameFindings(short) + found }
        for member in user.members ?? []
        where !Self.readFields.contains(member.name) && !Self.otherFields.contains(member.name) {
            if attributes.contains(member.name), user["custom_attributes"]?[member.name] == nil {
                found.append(Finding(.attributeAtTop(member.name), at: place(member.keyRange)))
                continue
            }
            let near =
                Self.exportNames[member.name]
                ?? nearestName(to: member.name, in: Self.readFields.union(Self.otherFields).sorted())
            guard let near, user[near] == nil else { continue }
            found.append(Finding(.unknownField(member.name, meant: near), at: place(member.keyRange)))
        }
        return found + zoneFindings(user) + valueFindings(user)
    }

    /// The findings about names in the short form that are misspelt, or that only exports have.
    private func nameFindings(_ user: DocumentNode) -> [Finding] {
        let names = AttributeTable.all.filter { $0.namespace == nil }.compactMap(\.name)
        let meant = Dictionary(first: Self.exportNames.map { ($1, $0) })
        return (user.members ?? []).filter { !names.contains($0.name) }.compactMap { member in
            guard let near = meant[member.name] ?? nearestName(to: member.name, in: names), names.contains(near),
                user[near] == nil
            else { return nil }
            return Finding(.unknownName(member.name, meant: near), at: place(member.keyRange))
        }
    }

    /// The findings about keys that occur twice in an object.
    private var repeatedKeyFindings: [Finding] {
        ((try? JSONDocument(file))?.duplicateKeys ?? []).map { Finding(.twice($0.key), at: $0.place) }
    }

    /// The findings about custom attributes that no text reads and whose names are similar to names that texts read.
    private func attributeFindings(_ members: [DocumentMember], _ read: Set<String>) -> [Finding] {
        var misses = NearMisses(read: read, given: members.map(\.name))
        return members.compactMap { member in
            misses.meant(by: member.name).map {
                Finding(.unread("custom_attribute.${\(member.name)}", near: $0), at: place(member.keyRange))
            }
        }
    }

    /// The findings about custom attributes whose types differ from the types that the campaign declares.
    private func typeFindings(_ members: [DocumentMember], _ types: [String: AttributeType]) -> [Finding] {
        members.compactMap { member in
            let value = member.value
            guard let type = types[member.name], value.scalar?.isNullMark != true else { return nil }
            let isText = value.scalar?.style == .quoted
            let isOther =
                switch type {
                case .number: isText || value.scalar == nil || value.number == nil
                case .boolean: isText || value.scalar == nil || value.number != nil
                case .array: value.elements == nil
                case .object: value.members == nil
                case .string: value.scalar == nil || !isText
                case .time: value.elements != nil || isText && !(value.scalar.map { Self.isTime($0.text) } ?? false)
                }
            guard isOther else { return nil }
            let found = DocumentMessages.describe(value)
            return Finding(.otherType(member.name, type.rawValue, found), at: place(value.range))
        }
    }

    /// Whether a text is a time that exists.
    private static func isTime(_ text: String) -> Bool {
        CivilTime(dateAtStartOf: text) != nil && Time(attribute: text) != nil
    }

    /// The findings about values whose type or form differs from what Braze exports.
    private func valueFindings(_ user: DocumentNode) -> [Finding] {
        let spellings: [(name: String, spelling: AttributeSpelling)] = [
            ("country", .country), ("language", .language), ("gender", .gender), ("email_subscribe", .subscription),
            ("push_subscribe", .subscription),
        ]
        var found = spellings.compactMap { name, spelling -> Finding? in
            guard let node = user[name], let value = node.scalar, value.style == .quoted, !value.text.isEmpty,
                let objection = spelling.objection(to: value.text)
            else { return nil }
            return Finding(.value(name, value.text, objection), at: place(node.range))
        }
        let texts = AttributeTable.all.filter { $0.namespace == nil && $0.type == .string }.compactMap(\.exportField)
        found += texts.compactMap { kindFinding(user, $0) }
        for device in user.elements("devices") {
            found += AttributeTable.deviceFields.compactMap { field in
                field.exportField.flatMap {
                    kindFinding(device, $0, in: "devices[].", isBoolean: field.type == .boolean)
                }
            }
        }
        for app in user.elements("apps") {
            found += ["name", "platform", "version", "last_used", "first_used"].compactMap {
                kindFinding(app, $0, in: "apps[].")
            }
        }
        if let node = user["custom_attributes"], node.members == nil, node.scalar?.isNullMark != true {
            found.append(Finding(.noObject("custom_attributes"), at: place(node.range)))
        }
        if let node = user["dob"], let date = node.scalar?.text, !date.isEmpty, node.scalar?.isNullMark != true,
            CivilTime(dateAtStartOf: date)?.exists != true || date.utf8.count != 10
        {
            let expected = "dates are written like '1990-12-31'"
            found.append(Finding(.value("dob", date, expected), at: place(node.range)))
        }
        return found
    }

    /// The finding about a field that is not of the expected type, which is text or boolean.
    private func kindFinding(
        _ object: DocumentNode,
        _ name: String,
        in path: String = "",
        isBoolean: Bool = false
    ) -> Finding? {
        guard let node = object[name], node.scalar?.isNullMark != true,
            isBoolean ? object.bool(name) == nil : node.scalar?.style != .quoted
        else { return nil }
        let found = DocumentMessages.describe(node)
        let message = isBoolean ? RuleMessage.noBoolean(path + name, found) : .noText(path + name, found)
        return Finding(message, at: place(node.range))
    }

    private func zoneFindings(_ user: DocumentNode?) -> [Finding] {
        guard let node = user?["time_zone"], let zone = node.scalar, zone.style == .quoted, !zone.text.isEmpty,
            !KnownTimeZones.contains(zone.text)
        else { return [] }
        return [Finding(.unknownZone(zone.text, near: KnownTimeZones.nearest(to: zone.text)), at: place(node.range))]
    }
}

extension DocumentNode {
    /// The findings about values `{"$time": …}` in the node that are read as objects, not as times.
    ///
    /// - Parameters:
    ///   - file: the file of the node.
    ///   - name: the key of the node.
    /// - Returns: the findings.
    func writtenTimeFindings(in file: SourceFile, name: String = "") -> [Finding] {
        if let time = self["$time"] {
            if case .time = value.resolvingTimes() { return [] }
            let isAlone = members?.count == 1
            let message = time.scalar.flatMap { isAlone ? RuleMessage.noTime(name, $0.text) : nil } ?? .noTime(name)
            return [Finding(message, at: SourcePlace(file, time.range))]
        }
        return (members ?? []).flatMap { $0.value.writtenTimeFindings(in: file, name: $0.name) }
            + (elements ?? []).flatMap { $0.writtenTimeFindings(in: file, name: name) }
    }
}

extension SourceFile {
    /// The findings about values `{"$time": …}` in a JSON file that are read as objects, not as times.
    var writtenTimeFindings: [Finding] {
        guard holdsTimes, let root = try? DocumentNode.json(self, rule: .jsonSyntax) else { return [] }
        return root.writtenTimeFindings(in: self)
    }

    /// Whether a value `{"$time": …}` may be in the file.
    fileprivate var holdsTimes: Bool { bytes[...].firstRange(ofBytes: "$time".utf8) != nil }
}

extension LintedCampaign {
    /// The findings about values `{"$time": …}` among the properties of tests, or of the events of a scenario, that are
    /// read as objects, not as times.
    var propertyTimeFindings: [Finding] {
        guard file.holdsTimes, let root = try? DocumentNode.read(file, rule: .campaignSyntax) else { return [] }
        let parts = (root["tests"]?.elements ?? []) + (root["timeline"]?.elements ?? [])
        return parts.flatMap { part in
            ["trigger_properties", "event_properties", "properties"].compactMap { part[$0] }.flatMap {
                $0.writtenTimeFindings(in: file)
            }
        }
    }
}
