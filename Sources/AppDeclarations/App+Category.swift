// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// What a campaign requires of an app: that an extension claims the campaign's category, and how that extension is set
/// up.
public struct CategoryUse: Sendable {
    /// The category as it is sent; nil or empty if the campaign has none.
    public var category: String?

    /// The place where the campaign names its category; without a category, the start of its push.
    public var place: SourcePlace?

    /// Whether the extension's view must receive touches (true) or must not (false); nil if the campaign requires
    /// neither.
    public var userInteraction: Placed<Bool>?

    /// Whether the campaign has `requires` or `buttons`, which do nothing without a category.
    public var needsCategory: Bool

    /// Whether the campaign lists buttons.
    ///
    /// If the app's code registers these buttons, the system shows them without an extension.
    public var hasButtons: Bool

    /// Categories that the user has declared to need no extension of the app.
    public var externalCategories: [String]

    /// The number of campaigns of the project that are known to send each category.
    package var sentCategories: [String: Int] = [:]

    /// Whether the system shows the push: true for every push except background pushes.
    public var isVisiblePush: Bool

    /// Creates the requirements of a campaign.
    public init(
        _ category: String?,
        at place: SourcePlace? = nil,
        userInteraction: Placed<Bool>? = nil,
        needsCategory: Bool = false,
        hasButtons: Bool = false,
        externalCategories: [String] = [],
        isVisiblePush: Bool = true
    ) {
        self.category = category
        self.place = place
        self.userInteraction = userInteraction
        self.needsCategory = needsCategory
        self.hasButtons = hasButtons
        self.externalCategories = externalCategories
        self.isVisiblePush = isVisiblePush
    }
}

extension CategoryUse {
    /// Whether the category is one of Braze's own for buttons, or is known to need no extension.
    package var needsNoExtension: Bool {
        let category = category ?? ""
        // `ab_cat_` begins Braze's categories for buttons, but `ab_cat_push_` that of Push Stories, which need an
        // extension.
        if category.hasPrefix("ab_cat_"), !category.hasPrefix("ab_cat_push_") { return true }
        return externalCategories.contains { $0.utf8.elementsEqual(category.utf8) }
    }
}

extension RuleID {
    package static let categoryDuplicate = RuleID(
        "category-duplicate", .error, "a category twice in one array, or claimed by two extensions of one app"
    )
    package static let categoryUnclaimed = RuleID(
        "campaign-category-unclaimed", .error,
        "a campaign whose category no content extension of the app claims"
    )
    package static let extensionNotEmbedded = RuleID(
        "extension-not-embedded", .warning, "an extension that an app depends on or copies, but does not embed"
    )
    package static let unresolvedBuildSetting = RuleID(
        "unresolved-build-setting", .info, "a build setting in place of a value that would be compared",
        reportsUncheckedPart: true
    )
    package static let interactionMismatch = RuleID(
        "interaction-mismatch", .error,
        "a campaign whose required user interaction differs from what the extension declares"
    )
}

extension App {
    /// Checks that exactly one content extension claims the category, and that its user interaction is as the campaign
    /// requires.
    ///
    /// A campaign without a category is reported as info, or as an error if it has `requires` or `buttons`; a campaign
    /// that only sends a background push needs no category. Braze's own categories for buttons, and external
    /// categories, need no extension. The related places of the findings are in the app. If extensions of the app could
    /// not be read, a missing claim is a warning.
    public func check(_ use: CategoryUse) -> [Diagnostic] {
        guard let category = use.category, !category.isEmpty else {
            return use.isVisiblePush || use.needsCategory ? [noCategoryFinding(use)] : []
        }
        let claimants = contentExtensions(claiming: category)
        guard let claimant = claimants.first else {
            if use.needsNoExtension { return [] }
            guard let registered = registration(for: use) else { return [Self.unclaimedFinding(use, by: [self])] }
            return use.hasButtons ? [] : [Self.registeredOnlyFinding(use, registered)]
        }
        guard claimants.count == 1 else {
            return [
                Diagnostic(
                    .categoryDuplicate,
                    "\(claimants.count) content extensions claim category '\(category)', expected exactly one",
                    at: use.place,
                    related: claimants.compactMap { $0.claim(of: category)?.related("claimed here") }
                )
            ]
        }
        return claimant.interactionFinding(use).map { [$0] } ?? []
    }

    private func noCategoryFinding(_ use: CategoryUse) -> Diagnostic {
        Diagnostic(
            .categoryUnclaimed,
            use.needsCategory
                ? "the campaign has no category, expected one: its 'requires' or buttons need a content extension"
                : "the campaign has no category, so the system shows it without a content extension",
            at: use.place,
            severity: use.needsCategory ? .error : .info
        )
    }

    /// The content extensions that claim a category.
    package func contentExtensions(claiming category: String) -> [Extension] {
        contentExtensions.filter { $0.claim(of: category) != nil }
    }

    /// The category that a push is probably meant to have: the claimed category that its own one misspells, or else its
    /// own.
    ///
    /// The push's own category is a misspelling if no content extension claims it and exactly one similar category is
    /// claimed.
    ///
    /// - Parameters:
    ///   - category: the push's own category.
    ///   - externalCategories: the categories that are known to need no extension.
    /// - Returns: the category.
    package func category(meantBy category: String, besides externalCategories: [String]) -> String {
        let use = CategoryUse(category, externalCategories: externalCategories)
        guard !category.isEmpty, !use.needsNoExtension, contentExtensions(claiming: category).isEmpty else {
            return category
        }
        let declared = contentExtensions.flatMap(\.categories).map(\.value)
        let near = declared.filter { Self.isNear($0, category) }
        guard let first = near.first, near.allSatisfy({ $0.utf8.elementsEqual(first.utf8) }),
            !declared.contains(where: Self.holdsBuildSetting)
        else { return category }
        return first
    }

    /// The registration of a category in the app's code that lets the system show the buttons of a push without a
    /// content extension.
    ///
    /// - Parameter use: what the campaign requires.
    /// - Returns: the registration of the campaign's category. Nil if the campaign needs an extension, or if an
    ///   extension claims a category similar to the registered one, because the extension is then probably meant to
    ///   claim the registered one.
    package func registration(for use: CategoryUse) -> TargetCode.Category? {
        let registered = codes.flatMap(\.categories)
        let names = Set(registered.map(\.identifier))
        let claimed = contentExtensions.flatMap(\.categories).map(\.value)
        guard let category = use.category, use.userInteraction == nil, use.hasButtons || !use.needsCategory,
            !claimed.contains(where: { !names.contains($0) && Self.isNear($0, category) })
        else { return nil }
        return registered.first { $0.identifier.utf8.elementsEqual(category.utf8) }
    }

    private static func registeredOnlyFinding(_ use: CategoryUse, _ registered: TargetCode.Category) -> Diagnostic {
        Diagnostic(
            .categoryUnclaimed,
            "code registers category '\(registered.identifier)', so the system shows its buttons, and no content extension",
            at: use.place,
            severity: .info,
            related: [Diagnostic.Related("it is registered here", at: registered.place)]
        )
    }

    /// The maximum number of claims that a finding lists as related places.
    private static let relatedLimit = 1_000

    /// The finding that no content extension of the given apps claims a category; its related places are all claims of
    /// these apps.
    ///
    /// It is a warning if an extension could not be read, because that extension may claim the category.
    package static func unclaimedFinding(_ use: CategoryUse, by apps: [App]) -> Diagnostic {
        let category = use.category ?? ""
        let extensions = apps.flatMap(\.contentExtensions)
        let declared = extensions.flatMap(\.categories).filter { !$0.value.isEmpty }
        if let unresolved = declared.first(where: { holdsBuildSetting($0.value) }) {
            return Diagnostic(
                .unresolvedBuildSetting,
                "category '\(category)' cannot be compared with '\(unresolved.value)', which the build replaces",
                at: use.place,
                related: unresolved.related("declared here").map { [$0] } ?? []
            )
        }
        let near = declared.filter { isNear($0.value, category) }
        let listing = declared.first { categories(in: $0.value).contains { $0.utf8.elementsEqual(category.utf8) } }
        let isUnsure = apps.contains(where: \.mayHaveMore)
        let names = apps.map(\.name).listed(atMost: 8)
        let claimant = "no content extension of \(names)\(isUnsure ? " that could be read" : "")"
        var message = "\(claimant) claims category '\(category)'"
        let registrations = apps.flatMap(\.codes).flatMap(\.categories)
        let registered = registrations.first { $0.identifier == category }
        // If code or another campaign uses this category too, the extension's claim may be the misspelt one, so no fix
        // is offered.
        let named = apps.flatMap(\.codes).flatMap { $0.comparedCategories + $0.writtenCategories }
        let isNamedAgain =
            registered != nil || named.contains { $0.text == category } || use.sentCategories[category, default: 0] > 1
        if isUnsure, extensions.isEmpty {
            message += "; the property list of an extension could not be read"
        } else if declared.isEmpty {
            let each = apps.count == 1 ? "the app has" : "the apps have"
            message += extensions.isEmpty ? "; \(each) no content extension" : "; none is claimed"
        } else if let listing {
            message += "; '\(listing.value)' is one text, expected an array of strings"
        } else if let nearest = near.first {
            // `==` compares strings as people read them, but the system compares bytes: two strings may look the same
            // and still differ.
            let isSame = nearest.value == category
            if isSame {
                message += "; the one claimed looks the same and has other bytes (Unicode NFC or NFD)"
            } else {
                message += "; did you mean '\(nearest.value)'?"
            }
        } else {
            var known: Set<[UInt8]> = []
            let claimed = declared.map(\.value).filter { known.insert(Array($0.utf8)).inserted }
            message += ", expected one of \(claimed.quoted(atMost: 8))"
        }
        let others = apps.flatMap(\.unembedded).filter { $0.declared.claim(of: category) != nil }
        if let other = others.first { message += "; the extension '\(other.target)', which claims it, is not embedded" }
        if registered != nil {
            message += "; code registers it, which is only for its buttons"
        } else if near.isEmpty, let other = nearestName(to: category, in: registrations.map(\.identifier)) {
            message += "; did you mean '\(other)', which code registers?"
        }
        let distant = declared.filter { !isNear($0.value, category) }
        var related = (near + distant).compactMap { $0.related("'\($0.value)' is claimed here") }
        for silent in extensions where silent.categories.allSatisfy(\.value.isEmpty) {
            if let place = silent.place { related.append(Diagnostic.Related("this extension claims none", at: place)) }
        }
        for app in apps where app.contentExtensions.isEmpty {
            if let place = app.place {
                let owner = app.mayHaveMore ? "no content extension of \(app.name) could be read" : nil
                related.append(Diagnostic.Related(owner ?? "\(app.name) has no content extension", at: place))
            }
        }
        related += others.map { Diagnostic.Related("it is not embedded here", at: $0.place) }
        if let registered { related.append(Diagnostic.Related("it is registered here", at: registered.place)) }
        // Several apps may contain the same extension, which would be listed once for each app.
        var seen: Set<[String]> = []
        related = related.filter { note in
            seen.insert([note.place.file.path, String(note.place.range.start), note.message]).inserted
        }
        return Diagnostic(
            .categoryUnclaimed,
            message,
            at: use.place,
            severity: isUnsure ? .warning : nil,
            related: Array(related.prefix(relatedLimit)),
            fixes: listing == nil && !isNamedAgain ? near.first.map { renaming(use, to: $0.value) } ?? [] : []
        )
    }

    /// The fix that replaces a misspelt category in the campaign by a claimed one; empty if there is no safe fix.
    ///
    /// There is no fix if the file writes the category in another way, for example with escapes, or if the new name
    /// would need other quotes.
    private static func renaming(_ use: CategoryUse, to name: String) -> [FixIt] {
        guard let place = use.place, let category = use.category, !category.isEmpty else { return [] }
        let isWord = name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && scalar.properties.isAlphabetic || "0123456789_-.".unicodeScalars.contains(scalar)
        }
        var range = place.range
        if place.file.text(in: range) != category {
            range = SourceRange(Int(range.start) + 1, max(Int(range.start) + 1, Int(range.end) - 1))
        }
        guard isWord, place.file.text(in: range).utf8.elementsEqual(category.utf8) else { return [] }
        return [FixIt("write '\(name)'", edits: [FixIt.Edit(range, replacement: name)])]
    }

    /// The categories in a text such as `a, b` that was probably meant as a list, although the system reads it as one
    /// category; empty if the text has no comma or semicolon.
    package static func categories(in text: String) -> [String] {
        guard text.contains(where: { ",;".contains($0) }) else { return [] }
        return text.split(whereSeparator: { ",;".contains($0) }).map { String($0).trimmed }.filter { !$0.isEmpty }
    }

    /// Whether a category is probably misspelt: it differs from a claimed one in case, white space or a few letters.
    private static func isNear(_ declared: String, _ category: String) -> Bool {
        declared == category || nearestName(to: category, in: [declared]) != nil
            || declared.comparable == category.comparable
    }
}

extension App.Extension {
    /// Where the extension claims a category; nil if it does not.
    ///
    /// Categories are compared byte by byte, as the system does.
    package func claim(of category: String) -> Placed<String>? {
        categories.first { $0.value.utf8.elementsEqual(category.utf8) }
    }

    fileprivate func interactionFinding(_ use: CategoryUse) -> Diagnostic? {
        guard let required = use.userInteraction, !isUncertain else { return nil }
        let found: String
        var related: [Diagnostic.Related] = []
        switch interaction {
        case .declared(let declared):
            guard declared.value != required.value else { return nil }
            found = "UNNotificationExtensionUserInteractionEnabled is \(declared.value)"
            related += declared.related("declared here").map { [$0] } ?? []
        case .malformed(let text):
            found = "UNNotificationExtensionUserInteractionEnabled is \(text.value), which is not a boolean"
            related += text.related("declared here").map { [$0] } ?? []
        case .absent:
            if let key = misspeltInteractionKey {
                guard required.value else { return nil }
                found =
                    "the extension has '\(key.value)', which the system does not know; "
                    + "Apple's key is UNNotificationExtensionUserInteractionEnabled"
                related += key.related("written here").map { [$0] } ?? []
            } else {
                guard required.value else { return nil }
                found = "UNNotificationExtensionUserInteractionEnabled is missing, which means false"
                let claim = use.category.flatMap(claim)?.related("the extension that claims '\(use.category ?? "")'")
                related += claim.map { [$0] } ?? []
            }
        }
        return Diagnostic(
            .interactionMismatch,
            "the campaign requires user interaction to be \(required.value), but \(found)",
            at: required.place ?? use.place,
            related: related
        )
    }
}

extension Placed {
    fileprivate func related(_ message: String) -> Diagnostic.Related? {
        place.map { Diagnostic.Related(message, at: $0) }
    }
}

extension String {
    /// The text in the form in which names are compared: without case, white space and separators, which are easily
    /// overlooked.
    fileprivate var comparable: String {
        String(
            String.UnicodeScalarView(
                lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }
            )
        )
    }
}
