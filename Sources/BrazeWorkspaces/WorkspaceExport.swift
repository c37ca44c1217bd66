// SPDX-License-Identifier: MIT

import PayloadKit

/// The contents of a workspace that were read from Braze.
package struct WorkspaceExport: Sendable {
    /// The resources of one kind, such as campaigns.
    struct Listing<Resource: Sendable>: Sendable {
        /// The resources whose details were completely read.
        var resources: [Resource] = []

        /// The ids or names of all resources of this kind in Braze, whether they were read or not; nil if the list may
        /// be incomplete.
        var known: Set<String>?
    }

    /// A campaign or Canvas in Braze, with its iOS pushes.
    struct Campaign: Sendable {
        let id: String
        let name: String
        let tags: [String]

        /// The iOS pushes of the campaign or Canvas, each with the name of its step in a Canvas.
        var pushes: [(step: String?, message: ExportedMessage)] = []

        /// The channels of the messages that are not iOS pushes.
        var channels: Set<String> = []

        /// Whether the campaign is left out of the pull, as drafts are by default.
        ///
        /// Its files then stay unchanged.
        var isLeftOut = false
    }

    /// A content block in Braze, with its text.
    struct Block: Sendable {
        let name: String
        let description: String?
        let tags: [String]
        let content: String
    }

    var campaigns = Listing<Campaign>()
    var canvases = Listing<Campaign>()
    var blocks = Listing<Block>()

    /// The registries; each is nil if it was not read, or not completely.
    var attributes: [WorkspaceRegistry.Attribute]?
    var catalogs: [WorkspaceRegistry.Catalog]?
    var events: [WorkspaceRegistry.Event]?

    /// Information for the user that does not change the result.
    package internal(set) var notes: [String] = []

    /// The failure that ended the reading early; nil if everything was read.
    package internal(set) var failure: PullFailure?
}
