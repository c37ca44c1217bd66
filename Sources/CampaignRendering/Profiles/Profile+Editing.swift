// SPDX-License-Identifier: MIT

import BrazeLiquid
package import LiquidTemplates

extension Profile {
    /// A value of a profile, with the namespace and name by which templates read it.
    package struct Entry: Sendable {
        /// The namespace in templates; `$` for attributes without one.
        package var namespace: String

        /// The name of the value.
        package var name: String

        /// The value; nil to remove it.
        package var value: Value?

        /// Creates an entry.
        package init(_ namespace: String, _ name: String, _ value: Value?) {
            self.namespace = namespace
            self.name = name
            self.value = value
        }

        /// The entry as it is written in a template, such as `custom_attribute.${plan}`.
        package var liquid: String {
            (namespace == BrazeEnvironment.attributesMember ? "" : namespace + ".") + "${\(name)}"
        }
    }

    /// The values of the user; the ones without a namespace come first.
    package var entries: [Entry] {
        context.namespaces.flatMap { namespace, members in
            zip(members.keys, members.values).map { Entry(namespace, $0, $1) }
        }
    }

    /// A copy of the profile with some values replaced or removed.
    package func replacing(_ entries: [Entry]) -> Profile {
        if entries.isEmpty { return self }
        var context = context
        for entry in entries {
            let old = context.members(of: entry.namespace)
            var members = LiquidObject.Builder()
            for (key, value) in zip(old.keys, old.values) where !key.utf8.elementsEqual(entry.name.utf8) {
                members.set(key, value)
            }
            if let value = entry.value { members.set(entry.name, value) }
            context.setMembers(LiquidObject(members), of: entry.namespace)
        }
        return Profile(id: id, externalID: externalID, context: context, deviceCount: deviceCount)
    }

    /// Creates a profile with the same names, and a sample of the same type in place of each value.
    package init(sampleOf profile: Profile) {
        let samples = Dictionary(
            first: AttributeTable.all.filter { $0.namespace == nil }.compactMap { attribute in
                attribute.name.map { ($0, attribute.sample) }
            })
        var context = profile.context
        for (namespace, members) in profile.context.namespaces {
            let isUser = namespace == BrazeEnvironment.attributesMember
            let values = zip(members.keys, members.values).map { key, value in
                (key: key, value: value.sample(isUser ? samples[key] : nil))
            }
            context.setMembers(LiquidObject(values), of: namespace)
        }
        self.init(id: nil, externalID: nil, context: context, deviceCount: profile.deviceCount)
    }
}

extension Value {
    /// A sample of the same type that says nothing about a user.
    fileprivate func sample(_ text: String?) -> Value {
        switch self {
        case .null, .drop: .null
        case .bool: .bool(true)
        case .integer, .bigInteger: .integer(5)
        case .float: .float(1.5)
        case .string: .string(text ?? "text")
        case .array(let elements): .array(elements.prefix(3).map { $0.sample(nil) })
        case .object(let object):
            .object(LiquidObject(zip(object.keys, object.values).map { (key: $0, value: $1.sample(nil)) }))
        case .range: .range(LiquidRange(1, 3))
        case .time: .time(Time(seconds: 1_767_225_600))
        }
    }
}
