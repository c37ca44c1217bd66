// SPDX-License-Identifier: MIT

/// How code uses a name, other than to read the pair with that name.
enum NameUse {
    /// A key that code writes into a push that it has received.
    case write
    case action, comparedAction
    /// An action without the option to open the app, and one with that option, or with options that are not known.
    case backgroundAction, foregroundAction
    case comparedCategory, writtenCategory
    case appGroup, event
}

/// What code does with pushes besides reading pairs.
struct OtherFacts {
    struct Report: Hashable {
        var place: CodePlace
        var why: String
    }

    struct Category {
        var actions: [String: Bool] = [:]
        var isWhole = true
        var place: CodePlace
        var literal: CodePlace?
    }

    var importsOthers = false
    var unknown: Set<Report> = []
    var failingCasts: Set<CodePlace> = []
    /// The names for each use, with the first place where each occurs and the place of its literal.
    private(set) var names: [NameUse: [String: (place: CodePlace, literal: CodePlace?)]] = [:]
    var changesUnknownPairs = false
    var categories: [String: Category] = [:]
    var registersUnknownCategories = false

    /// Records a name and a place where it occurs.
    mutating func note(_ name: String, as use: NameUse, at place: CodePlace, literal: CodePlace? = nil) {
        if let known = names[use]?[name], !(place < known.place) { return }
        names[use, default: [:]][name] = (place, literal)
    }
}
