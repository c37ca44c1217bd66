// SPDX-License-Identifier: MIT

/// Which parts of a workspace are pulled.
package struct PullSelection: Sendable {
    /// The parts of a workspace.
    package enum Part: String, Sendable, CaseIterable {
        case campaigns, canvases, blocks, attributes, catalogs, events
    }

    /// The parts.
    package var parts = Set(Part.allCases)

    /// The ids of the only campaigns; empty for all.
    package var campaigns: [String] = []

    /// The ids of the only Canvases; empty for all.
    package var canvases: [String] = []

    /// Whether archived campaigns and Canvases are pulled.
    package var includesArchived = false

    /// Whether campaigns and Canvases are pulled that were never launched, and of others the edits that are not launched.
    package var includesDrafts = false

    package init() {}
}
