// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources
package import DocumentFormats

/// The `requires` of a campaign: what the app has to support, and what its extension reads.
public struct Requirements: Sendable {
    /// The value that `UNNotificationExtensionUserInteractionEnabled` has to have; nil if it is not checked.
    public var userInteraction: Placed<Bool>?

    /// Whether the extension has to ask for text; nil if it is not checked.
    public var textInput: Placed<Bool>?

    /// The key-value pairs that the extension reads, in the order of the file.
    public var extras: [RequiredExtra] = []

    /// The place of all requirements together.
    public var place: SourcePlace

    /// Whether the campaign itself has a `requires`; false if the requirements come only from an app.
    public internal(set) var isStated = true
}

extension DocumentReader {
    /// Reads the key-value pairs that an extension reads: `KEY: {type: TYPE, required: true}`.
    ///
    /// - Parameter members: the pairs, already checked against ``Format/requiredExtras``.
    /// - Returns: the pairs, in the same order.
    package func requiredExtras(_ members: [DocumentMember]) -> [RequiredExtra] {
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

    /// Reads what a message needs of the app.
    ///
    /// - Parameter node: the mapping, already checked against ``Format/requirements``.
    /// - Returns: the requirements.
    package func requirements(_ node: DocumentNode) -> Requirements {
        func placed(_ key: String) -> Placed<Bool>? {
            node.bool(key).map { Placed($0, at: node[key].map { place($0.range) }) }
        }
        return Requirements(
            userInteraction: placed("user_interaction"),
            textInput: placed("text_input"),
            extras: requiredExtras(node.members("extras")),
            place: place(node.range)
        )
    }
}
