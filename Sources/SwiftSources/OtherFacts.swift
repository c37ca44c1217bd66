// SPDX-License-Identifier: MIT

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
    }

    var importsOthers = false
    var unknown: Set<Report> = []
    var failingCasts: Set<CodePlace> = []
    /// The keys that code writes into a push that it has received.
    var writes: [String: CodePlace] = [:]
    /// The keys that code gives to notifications of its own.
    var localWrites: [String: CodePlace] = [:]
    var changesUnknownPairs = false
    var categories: [String: Category] = [:]
    var registersUnknownCategories = false
    var actions: [String: (isTextInput: Bool, place: CodePlace)] = [:]
    /// The actions that code registers without the option to open the app.
    var backgroundActions: [String: CodePlace] = [:]
    /// The actions that code registers with that option, or with options that are not known.
    var foregroundActions: Set<String> = []
    var comparedActions: [String: CodePlace] = [:]
    var comparedCategories: [String: CodePlace] = [:]
    var writtenCategories: [String: CodePlace] = [:]
    var groups: [String: CodePlace] = [:]
    var events: [String: CodePlace] = [:]
}

extension [String: CodePlace] {
    /// Records a name with the first place that has it.
    mutating func note(_ name: String, at place: CodePlace) {
        if let known = self[name], !(place < known) { return }
        self[name] = place
    }
}
