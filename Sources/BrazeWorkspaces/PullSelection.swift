// SPDX-License-Identifier: MIT

/// The parts of a workspace that are pulled.
package struct PullSelection: Sendable {
    /// The parts of a workspace.
    package enum Part: String, Sendable, CaseIterable {
        case campaigns, canvases, blocks, attributes, catalogs, events
    }

    /// The selected parts.
    package var parts = Set(Part.allCases)

    /// The ids of the campaigns to pull; empty for all.
    package var campaigns: [String] = []

    /// The ids of the Canvases to pull; empty for all.
    package var canvases: [String] = []

    /// Whether archived campaigns and Canvases are pulled.
    package var includesArchived = false

    /// Whether unlaunched drafts are pulled: campaigns and Canvases that were never launched, and unlaunched edits of
    /// all others.
    package var includesDrafts = false

    package init() {}
}
