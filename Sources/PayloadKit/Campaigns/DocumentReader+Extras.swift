// SPDX-License-Identifier: MIT

import AppBundles
import DiagnosticSources
import DocumentFormats

extension DocumentReader {
    /// The key-value pairs that an extension reads: `KEY: {type: TYPE, required: true}`.
    ///
    /// - Parameter members: the pairs, which were checked against ``Format/requiredExtras``.
    /// - Returns: the pairs in their order.
    func requiredExtras(_ members: [DocumentMember]) -> [RequiredExtra] {
        members.map { member in
            let required = member.value["required"].flatMap { node in
                member.value.bool("required").map { Placed($0, at: place(node.range)) }
            }
            var extra = RequiredExtra(
                key: member.name,
                type: member.value.choice("type") ?? .string,
                place: place(member.keyRange)
            )
            extra.required = required
            return extra
        }
    }
}
