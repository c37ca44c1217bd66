// SPDX-License-Identifier: MIT

import AppBundles
import SourceText

extension DocumentReader {
    /// The key-value pairs that an extension reads: `KEY: {type: TYPE, required: true}`.
    mutating func requiredExtras(_ node: DocumentNode, _ name: String) -> [RequiredExtra] {
        members(of: node, name: name).map { requiredExtra($0, name + "." + $0.name) }
    }

    private mutating func requiredExtra(_ member: DocumentMember, _ name: String) -> RequiredExtra {
        var extra = RequiredExtra(key: member.name, type: .string, place: place(member.keyRange))
        for part in members(of: member.value, name: name, owner: "'\(name)'", keys: ["type", "required"]) {
            switch part.name {
            case "type": extra.type = choice(part.value, name + ".type") ?? .string
            case "required":
                let place = place(part.value.range)
                extra.required = bool(part.value, name + ".required").map { Placed($0, at: place) }
            default: break
            }
        }
        return extra
    }
}
