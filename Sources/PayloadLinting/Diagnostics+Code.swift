// SPDX-License-Identifier: MIT

import AppBundles
import DiagnosticSources
import SwiftSources

/// Removes findings about property lists that are not problems, given the code of the bundle.
extension [Diagnostic] {
    /// The findings that are still problems, given the code.
    ///
    /// These are not problems: a principal class without its module, where Objective-C has a class with that name; a
    /// ratio of 0 or almost 0, where the view sets its size, as the ratio is then only its first size; a missing app
    /// group, where the code names one or uses Braze's Objective-C SDK, which reads none from the property list; and a
    /// category that looks like a placeholder, where the code registers it or a campaign sends it.
    ///
    /// - Parameters:
    ///   - apps: the apps with their code.
    ///   - campaigns: the campaigns of the project.
    /// - Returns: the other findings.
    func withoutFindingsExplained(by apps: [App], _ campaigns: [LintedCampaign]) -> [Diagnostic] {
        var codes: [String: TargetCode] = [:]
        var categories = Set(campaigns.compactMap { $0.campaign?.push.category }.filter { !$0.holdsLiquid }.map(\.text))
        for app in apps {
            categories.formUnion((app.code?.categories ?? []).map(\.identifier))
            for candidate in app.extensions {
                guard let code = candidate.code else { continue }
                categories.formUnion(code.categories.map(\.identifier))
                if let path = candidate.place?.file.path { codes[path] = code }
            }
        }
        guard !codes.isEmpty || !categories.isEmpty else { return self }
        return filter { finding in
            guard let place = finding.place else { return true }
            let text = place.file.text(in: place.range)
            let code = codes[place.file.path]
            switch finding.rule {
            case Rule.unqualifiedPrincipalClass.id:
                // That a class of Swift has no module is an error about the app.
                let isSwift = code?.swiftClassNames.contains(text) ?? false
                return !(isSwift || code?.objectiveCNames.contains(text) ?? false)
            case .ratioNotPositive, .ratioTiny:
                return finding.severity == .error || !(code?.setsContentSize ?? false)
            case Rule.hardCodedModule.id:
                return !(code.map { $0.objectiveCNames.contains(text) || $0.isOnlyObjectiveC(text) } ?? false)
            case Rule.pushStoryAppGroup.id: return code.map { $0.appGroups.isEmpty && !$0.usesOldPushStories } ?? true
            case Rule.categoryPlaceholder.id: return !categories.contains { text.holds($0) }
            default: return true
            }
        }
    }
}
