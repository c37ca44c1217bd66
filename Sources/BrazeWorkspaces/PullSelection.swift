// SPDX-License-Identifier: MIT

/// Which parts of a workspace `pull` reads.
package struct PullSelection: Sendable {
    /// The parts of a workspace.
    package enum Part: String, Sendable, CaseIterable {
        case campaigns, canvases, blocks, attributes, catalogs, events
    }

    /// The parts that are read; all parts by default.
    package var parts = Set(Part.allCases)

    /// The ids of the campaigns to pull; empty for all.
    package var campaigns: [String] = []

    /// The ids of the Canvases to pull; empty for all.
    package var canvases: [String] = []

    /// Whether archived campaigns and Canvases are pulled.
    package var includesArchived = false

    /// Whether drafts are pulled: campaigns and Canvases that were never launched, and changes of the others that were
    /// not launched yet.
    package var includesDrafts = false

    package init() {}
}
