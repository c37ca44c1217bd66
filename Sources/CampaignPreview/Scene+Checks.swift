// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit
import PayloadLinting

extension Scene {
    /// A line in the page's list of checks: what was checked, and the result.
    struct Check: Sendable {
        /// The result of a check.
        enum State: String, Sendable {
            case passed, warned, failed, skipped, noted

            /// The symbol that shows the result.
            var sign: String {
                switch self {
                case .passed: "✓"
                case .warned: "!"
                case .failed: "✕"
                case .skipped, .noted: "–"
                }
            }

            /// The result as a word, for people who do not see the symbol.
            var word: String {
                switch self {
                case .passed: "Passed: "
                case .warned: "Warning: "
                case .failed: "Failed: "
                case .skipped: "Not checked: "
                case .noted: "Note: "
                }
            }
        }

        let state: State
        let text: String
        var place: String?

        /// The number of findings that the line reports.
        var count = 1
    }

    /// The content extension that claims the category of the selected person's message; nil if none does.
    var contentExtension: App.Extension? {
        let category = selected.payload?.categoryUse.category ?? draft.campaign?.push.category?.text
        guard let category else { return nil }
        return draft.app?.contentExtensions(claiming: category).first
    }

    /// The name of the content extension that claims the category; nil if none does.
    var extensionName: String? {
        contentExtension.map { found in
            found.name ?? found.place.map { $0.file.path.folderName } ?? "the extension"
        }
    }

    /// The name of the content extension if it is known which key-value pairs it reads; otherwise nil.
    var readerName: String? { contentExtension?.hasKnownReads == true ? extensionName : nil }

    /// The maximum number of findings in the list about the campaign, and in the list about the apps.
    private static let listLimit = 20

    /// The line that names the app, and why it was chosen.
    private func appCheck(_ app: App) -> Check {
        if draft.apps.count > 1 {
            let names = draft.apps.map(\.name).joined(separator: ", ")
            return Check(state: .noted, text: "Several apps claim the category: \(names); the phone shows \(app.name)")
        }
        guard let name = draft.campaign?.app else { return Check(state: .passed, text: "The app is \(app.name)") }
        return Check(state: .passed, text: "The app is \(app.name), as the campaign says", place: name.place?.shown)
    }

    /// The checks of the selected person's message, of the campaign and of its apps.
    var checks: [Check] {
        // Without a readable file, neither the app nor the category is known.
        guard draft.campaign != nil else {
            return [Check(state: .skipped, text: "Nothing is checked until the campaign can be read")]
        }
        var checks: [Check] = []
        var messageFindings = selected.findings
        func take(_ rules: Set<RuleID>) -> [Diagnostic] {
            let found = messageFindings.filter { rules.contains($0.rule) }
            messageFindings.removeAll { rules.contains($0.rule) }
            return found
        }
        if let app = draft.app {
            if let payload = selected.payload {
                checks.append(appCheck(app))
                let categoryFindings = take([.categoryUnclaimed, .categoryDuplicate])
                if categoryFindings.isEmpty { checks.append(categoryCheck(payload)) }
                checks += categoryFindings.map(Check.init)
                let interactionFindings = take([.interactionMismatch, .inputWithoutInteraction])
                if interactionFindings.isEmpty { checks += [interactionCheck].compactMap(\.self) }
                checks += interactionFindings.map(Check.init)
                let pairFindings = take([.extrasContract])
                if pairFindings.isEmpty { checks += pairsChecks(payload) }
                checks += pairFindings.map(Check.init)
            } else {
                checks.append(
                    Check(state: .skipped, text: "Nothing is sent, so nothing is checked against \(app.name)"))
            }
        }
        // The size of the selected payload is checked itself, so findings about the smallest possible payload are left
        // out.
        let others = draft.findings.without(selected.findings).filter { finding in
            finding.rule != .payloadSize || selected.payload == nil
        }
        // Findings of the severity info come last, so that the limit of the list leaves them out first.
        let listed = others.filter { $0.severity > .info } + others.filter { $0.severity == .info }
        checks += (messageFindings + listed.prefix(Self.listLimit)).map(Check.init)
        checks += Self.rest(listed, "in the campaign")
        checks += draft.findingsOfApps.prefix(Self.listLimit).map(Check.init)
        checks += Self.rest(draft.findingsOfApps, "in the app")
        return checks + [tests?.check].compactMap(\.self)
    }

    /// The lines for the findings beyond the limit of a list, one for each severity.
    private static func rest(_ findings: [Diagnostic], _ place: String) -> [Check] {
        let kinds: [(Severity, Check.State, name: String)] = [
            (.error, .failed, "error"), (.warning, .warned, "warning"), (.info, .noted, "note"),
        ]
        return kinds.compactMap { severity, state, name in
            let count = findings.dropFirst(listLimit).count { $0.severity == severity }
            guard count > 0 else { return nil }
            let words = "\(counted(count, "more " + name)) \(place), see 'payloadgen lint'"
            return Check(state: state, text: words, count: count)
        }
    }

    private func categoryCheck(_ payload: Payload) -> Check {
        guard let found = contentExtension, let name = extensionName else {
            return Check(state: .passed, text: "No extension is needed to show this push")
        }
        let claim = payload.categoryUse.category.flatMap(found.claim)
        return Check(state: .passed, text: "The app shows this push in \(name)", place: claim?.place?.shown)
    }

    private var interactionCheck: Check? {
        guard let required = draft.campaign?.requirements?.userInteraction else { return nil }
        guard let contentExtension else {
            let text = "No extension is known that could react to touches as the campaign requires"
            return Check(state: .skipped, text: text)
        }
        var place: String?
        if case .declared(let declared) = contentExtension.interaction { place = declared.place?.shown }
        let name = extensionName ?? "The extension"
        let words = required.value ? "reacts to touches" : "does not react to touches"
        return Check(state: .passed, text: "\(name) \(words), as the campaign requires", place: place)
    }

    /// The checks of the key-value pairs that are sent and whose types are known; one line for each source of the
    /// types.
    private func pairsChecks(_ payload: Payload) -> [Check] {
        let sent = Set(payload.extras.map { Array($0.key.utf8) })
        let read = Set((contentExtension?.extras ?? []).map { Array($0.key.utf8) })
        let required = (draft.campaign?.requirements?.extras ?? []).filter { sent.contains(Array($0.key.utf8)) }
        let extensionCount = required.count { read.contains(Array($0.key.utf8)) }
        let campaignCount = required.count {
            !read.contains(Array($0.key.utf8)) && $0.place.file.path == draft.path
        }
        let counts = [
            (extensionCount, "\(extensionName ?? "the extension") reads"), (campaignCount, "the campaign requires"),
            (required.count - extensionCount - campaignCount, "the app reads"),
        ]
        return counts.filter { $0.0 > 0 }.map { count, source in
            let pairs = counted(count, "key-value pair has the type", "key-value pairs have the types")
            return Check(state: .passed, text: "\(pairs) that \(source)")
        }
    }

    /// The overall result of the checks, in a few words.
    func verdict(_ checks: [Check]) -> String {
        let errors = checks.filter { $0.state == .failed }.reduce(0) { $0 + $1.count }
        let warnings = checks.filter { $0.state == .warned }.reduce(0) { $0 + $1.count }
        if errors > 0 { return counted(errors, "error") }
        if warnings > 0 { return counted(warnings, "warning") }
        guard draft.app != nil, selected.payload != nil else { return "not checked" }
        return checks.contains { $0.state == .skipped } ? "passed, not all checked" : "passed"
    }
}

extension Scene.Check {
    init(_ finding: Diagnostic) {
        let state: State =
            switch finding.severity {
            case .error: .failed
            case .warning: .warned
            case .info: finding.rule.reportsUncheckedPart ? .skipped : .noted
            }
        self.init(state: state, text: finding.message, place: finding.place?.shown)
    }
}

extension SourcePlace {
    /// The last part of the file's path, with the line number.
    var shown: String { "\(file.path.lastPart):\(start.line)" }
}

extension String {
    /// The name of the folder that contains the file at a path.
    fileprivate var folderName: String {
        let parts = split(separator: "/")
        return parts.count > 1 ? String(parts[parts.count - 2]) : self
    }
}
