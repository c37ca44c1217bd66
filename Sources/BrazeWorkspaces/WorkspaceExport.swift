// SPDX-License-Identifier: MIT

import PayloadKit

/// What was read of a workspace.
package struct WorkspaceExport: Sendable {
    /// Resources of one kind.
    struct Listing<Resource: Sendable>: Sendable {
        /// Those that were read whole.
        var resources: [Resource] = []

        /// The ids or names of all resources that exist, read or not; nil where it is not known that these are all.
        var known: Set<String>?
    }

    /// A campaign or a Canvas.
    struct Campaign: Sendable {
        let id: String
        let name: String
        let tags: [String]

        /// Its iOS pushes, with the names of their steps where it is a Canvas.
        var pushes: [(step: String?, message: ExportedMessage)] = []

        /// The other channels that it has messages of.
        var channels: Set<String> = []

        /// Whether it belongs to those that are not pulled, as drafts are by default; its files stay as they are.
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

    /// Nil where they were not read, or not all of them.
    var attributes: [WorkspaceRegistry.Attribute]?
    var catalogs: [WorkspaceRegistry.Catalog]?
    var events: [WorkspaceRegistry.Event]?

    /// What the user should know, without an effect on the result.
    package internal(set) var notes: [String] = []

    /// Why reading ended early; nil where everything was read.
    package internal(set) var failure: PullFailure?
}
