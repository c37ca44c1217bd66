// SPDX-License-Identifier: MIT

import PayloadKit

extension Scene {
    /// One thing that is checked about a message, and how it ended.
    struct Check: Sendable {
        /// How a check ended.
        enum State: String, Sendable {
            case passed, warned, failed, skipped

            /// The sign beside the words.
            var sign: String {
                switch self {
                case .passed: "✓"
                case .warned: "!"
                case .failed: "✕"
                case .skipped: "–"
                }
            }

            /// The word for people who do not see the sign.
            var word: String {
                switch self {
                case .passed: "Passed: "
                case .warned: "Warning: "
                case .failed: "Failed: "
                case .skipped: "Not checked: "
                }
            }
        }

        let state: State
        let text: String
        var place: String?
    }

    /// The content extension that claims the category of the selected message.
    var contentExtension: App.Extension? {
        let category = selected.payload?.categoryUse.category ?? draft.campaign?.push.category?.text
        guard let category else { return nil }
        return draft.app?.contentExtensions.first { candidate in
            candidate.categories.contains { $0.value.utf8.elementsEqual(category.utf8) }
        }
    }

    /// The name of the extension that claims the category; nil where there is none.
    var extensionName: String? {
        contentExtension.map { found in
            found.name ?? found.place.map { $0.file.path.folderName } ?? "the extension"
        }
    }

    /// The rules that say why a campaign has no app.
    private static let rulesWithoutApp: Set<String> = ["campaign-without-app", "campaign-category-unclaimed"]

    /// Which app it is, and why.
    private func appCheck(_ app: App) -> Check {
        if draft.apps.count > 1 {
            return Check(state: .skipped, text: "\(draft.apps.count) apps claim the category; this is \(app.name)")
        }
        guard let name = draft.campaign?.app else { return Check(state: .passed, text: "The app is \(app.name)") }
        return Check(state: .passed, text: "The app is \(app.name), as the campaign says", place: name.place?.shown)
    }

    /// The checks of the selected message against the app.
    var checks: [Check] {
        // A file that cannot be read names neither an app nor a category.
        guard draft.campaign != nil else {
            return [Check(state: .skipped, text: "Nothing is checked until the campaign can be read")]
        }
        guard let app = draft.app else {
            let reason = draft.findings.first { Self.rulesWithoutApp.contains($0.rule.name) }
            return [
                reason.map(Check.init)
                    ?? Check(state: .skipped, text: "No app is known: name one in .payloadgen.yml, or with --app")
            ]
        }
        // A list that cannot be read may claim the category as well.
        var checks = [appCheck(app)] + app.unread.map(Check.init)
        guard let payload = selected.payload else {
            return [Check(state: .skipped, text: "Nothing is sent, so nothing is checked against \(app.name)")]
        }
        var rest = selected.findings
        func take(_ rules: Set<String>) -> [Diagnostic] {
            let found = rest.filter { rules.contains($0.rule.name) }
            rest.removeAll { rules.contains($0.rule.name) }
            return found
        }
        let ofCategory = take(["campaign-category-unclaimed", "category-duplicate"])
        if ofCategory.isEmpty {
            if let found = contentExtension, let name = extensionName {
                let claim = found.categories.first { $0.value == payload.categoryUse.category }
                checks.append(Check(state: .passed, text: "Category claimed by \(name)", place: claim?.place?.shown))
            } else {
                checks.append(Check(state: .skipped, text: "No extension is needed for the category"))
            }
        }
        checks += ofCategory.map(Check.init)
        let ofInteraction = take(["interaction-mismatch", "input-without-interaction"])
        if ofInteraction.isEmpty, let required = draft.campaign?.requirements?.userInteraction {
            var place: String?
            if case .declared(let declared)? = contentExtension?.interaction { place = declared.place?.shown }
            checks.append(Check(state: .passed, text: "Interaction is \(required.value), as required", place: place))
        }
        checks += ofInteraction.map(Check.init)
        let ofPairs = take(["extras-contract"])
        let requiredCount = draft.campaign?.requirements?.extras.count ?? 0
        if ofPairs.isEmpty, requiredCount > 0 {
            let name = extensionName ?? "the campaign"
            let reads = extensionName == nil ? "requires" : "reads"
            checks.append(
                Check(state: .passed, text: "\(requiredCount) key-value pairs have the types that \(name) \(reads)")
            )
        }
        checks += (ofPairs + rest).map(Check.init)
        return checks
    }
}

extension Scene.Check {
    init(_ finding: Diagnostic) {
        let state: State =
            switch finding.severity {
            case .error: .failed
            case .warning: .warned
            case .info: .skipped
            }
        self.init(state: state, text: finding.message, place: finding.place?.shown)
    }
}

extension SourcePlace {
    /// The last part of the path, and the line.
    var shown: String { "\(file.path.lastPart):\(start.line)" }
}

extension String {
    /// The name of the folder that a path is in.
    fileprivate var folderName: String {
        let parts = split(separator: "/")
        return parts.count > 1 ? String(parts[parts.count - 2]) : self
    }
}
