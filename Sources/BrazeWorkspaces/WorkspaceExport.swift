// SPDX-License-Identifier: MIT

import PayloadKit

/// The contents of a workspace that were read from Braze.
package struct WorkspaceExport: Sendable {
    /// The resources of one kind.
    struct Listing<Resource: Sendable>: Sendable {
        /// The resources that were completely read.
        var resources: [Resource] = []

        /// The ids or names of all existing resources, whether they were read or not; nil where the list may be
        /// incomplete.
        var known: Set<String>?
    }

    /// A campaign or a Canvas.
    struct Campaign: Sendable {
        let id: String
        let name: String
        let tags: [String]

        /// Its iOS pushes, each with the name of its step in a Canvas.
        var pushes: [(step: String?, message: ExportedMessage)] = []

        /// The channels of its messages that are not iOS push.
        var channels: Set<String> = []

        /// Whether it is not pulled, like a draft by default; its files stay unchanged.
        var isLeftOut = false
    }

    /// A content block.
    struct Block: Sendable {
        let name: String
        let description: String?
        let tags: [String]
        let content: String
    }

    var campaigns = Listing<Campaign>()
    var canvases = Listing<Campaign>()
    var blocks = Listing<Block>()

    /// The registries; each is nil where it was not read, or not completely.
    var attributes: [WorkspaceRegistry.Attribute]?
    var catalogs: [WorkspaceRegistry.Catalog]?
    var events: [WorkspaceRegistry.Event]?

    /// Further information for the user that does not affect the result.
    package internal(set) var notes: [String] = []

    /// The reason that reading ended early; nil where everything was read.
    package internal(set) var failure: PullFailure?
}
