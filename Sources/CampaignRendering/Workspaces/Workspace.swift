// SPDX-License-Identifier: MIT

package import AppDeclarations
import DiagnosticSources

/// A folder with the parts of a Braze workspace that `payloadgen pull` has written, and what the configuration adds to
/// them.
public struct Workspace: Sendable {
    /// The absolute path of the folder.
    package let folder: String

    /// The custom attributes, catalogs and events.
    package let registry: WorkspaceRegistry

    /// The values that the configuration adds to campaigns because Braze's API does not return them.
    package let matches: [Match]

    /// Selects campaigns by name, id or tag, and holds the values that they get.
    package struct Match: Sendable {
        /// The pattern of the name of a campaign or Canvas; nil for all names.
        package var name: String?
        /// The id of the campaign or Canvas; nil for all.
        package var id: String?
        /// A tag; nil for all.
        package var tag: String?
        /// The category.
        package var category: TemplateText?
        /// The app.
        package var app: Placed<String>?
        /// What the message needs of the app.
        package var requirements: Requirements?

        package init() {}

        /// Whether a campaign matches the name, the id and the tag.
        func fits(_ identity: Campaign.Identity) -> Bool {
            func isEqual(_ one: String, _ other: String?) -> Bool { other?.utf8.elementsEqual(one.utf8) ?? false }
            if let id, !isEqual(id, identity.apiID) { return false }
            if let tag, !identity.tags.contains(where: { isEqual(tag, $0) }) { return false }
            guard let name else { return true }
            return NamePattern(name).matches(identity.name ?? "")
        }
    }

    package init(folder: String, registry: WorkspaceRegistry, matches: [Match]) {
        self.folder = folder
        self.registry = registry
        self.matches = matches
    }

    /// The absolute path of the folder of content blocks.
    package var blocks: String { folder + "/" + WorkspaceRegistry.Path.blocks }
}

extension Campaign.Identity {
    /// Whether the campaign was pulled: only then is the id of its message known.
    package var isPulled: Bool { apiID != nil && messageAPIID != nil }
}
