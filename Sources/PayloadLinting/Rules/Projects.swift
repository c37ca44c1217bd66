// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
package import DiagnosticSources
import PayloadKit
import PlistDocuments

extension RuleID {
    static let orphanPlist = RuleID(
        "orphan-plist", .info, "an extension's property list that belongs to no app", reportsUncheckedPart: true)
    package static let nothingChecked = RuleID(
        "nothing-checked", .warning, "a run that has nothing to check", reportsUncheckedPart: true)
    static let appDrift = RuleID(
        "app-drift", .warning, "a file of 'payloadgen app' that claims other categories than the app in the project"
    )
}

extension Rule {
    /// The rules about parts of a project that are not checked.
    static let projects: [Rule] = [
        unreadFile, nothingChecked, misnamedCampaign, orphanPlist, extensionNotEmbedded, appDrift, overLimit,
        moreFindings,
    ]

    private static let unreadFile = Rule(
        .unreadFile,
        source: .silentlyUnread,
        rationale: """
            payloadgen reads nothing outside of the project. A project file, a symbolic link, an #include or a \
            campaign cannot change that. It does not read hidden folders, .git, Pods and the like, nor anything that \
            is not a regular file. The project is the nearest folder, from the file upwards, that has .payloadgen.yml \
            or .git; without one, it is the working folder. A .payloadgen.yml in a folder further up makes the project \
            larger. Files that you name on the command line may be anywhere.
            """,
        .projectReading,
        .run { run in run.project.unusedAppFindings }
    )

    private static let orphanPlist = Rule(
        .orphanPlist,
        source: .buildSettings,
        rationale: """
            An app is an entry of apps in .payloadgen.yml, an application target of an Xcode project with what it \
            embeds, or the nearest folder above with exactly one Info.plist of an app. An extension in none of these \
            is checked alone. No campaign is checked against it, and its app groups, bundle identifier and categories \
            are not compared with those of other bundles. The rule is silent where the project has no app, no Xcode \
            project and no campaign.
            """,
        .run { run in
            run.project.orphanFindings.filter { finding in finding.place.map { run.isReported($0.file.path) } ?? true }
        }
    )

    private static let extensionNotEmbedded = Rule(
        .extensionNotEmbedded,
        source: .contentExtension,
        rationale: """
            The system finds extensions for pushes only in the app's folder PlugIns. If an app only depends on an \
            extension ("Do Not Embed" in Xcode), the extension is built but left out of the app. If the app copies it \
            to another folder, it is never loaded. So the app does not have the categories that this extension claims. \
            The rule is silent where a script of the target seems to copy extensions or calls another script of the \
            project, and where a phase of the target cannot be read.
            """,
        .app { app in
            app.unembedded.map { extra in
                let finding = extra.finding(in: app.name)
                return Finding(RuleMessage(finding.message), at: finding.place, related: finding.related)
            }
        }
    )

    private static let appDrift = Rule(
        .appDrift,
        source: .extensionCategory,
        rationale: """
            'payloadgen app' writes what the app declares when the command runs. If the project also has the app \
            itself, its property lists are newer. A campaign that fits the file may then not fit the app. A file is \
            compared with the app that has the same bundle identifier.
            """,
        .run { run in run.project.driftFindings }
    )

    private static let nothingChecked = Rule(
        .nothingChecked,
        source: "https://github.com/realm/SwiftLint/issues/2608",
        rationale: """
            The files and folders that you named hold no property list, campaign or content block, so the run says \
            nothing about the project. Perhaps the folder is the wrong one, or 'exclude' in .payloadgen.yml covers too \
            much. The same goes for a batch without a profile, for a scenario without messages or events, for 'test' \
            without any test, and for --coverage-fail-under where only scenarios run. A campaign without tests is an \
            info of 'test' if other files have tests.
            """,
        .run { run in run.project.excludedCampaignFindings(run.excluded) }
    )

    private static let misnamedCampaign = Rule(
        .misnamedCampaign,
        source: .silentlyUnread,
        rationale: """
            In folders, only files with the names of campaigns are checked. Three kinds of files are probably meant as \
            campaigns: a YAML file with 'version' and 'push' as outermost keys, such a JSON file in a folder \
            'templates' or 'campaigns', and a file such as 'welcome.campaign.txt'.
            """,
        .projectReading,
        .run { run in run.project.unusedFindings(run.cache) }
    )

    private static let overLimit = Rule(
        .overLimit,
        source: .findingLimit,
        rationale: """
            A small file can cause any amount of work: a list that names one target a thousand times, files that \
            include each other, settings that double with each step. So there are limits, far beyond real projects. \
            The message says which limit was reached and what was not checked because of it.
            """,
        .projectReading,
        .propertyList { list in
            list.plist.valuesOverLimit.map { node in
                Finding(
                    RuleMessage(ProjectMessage.tooManyInList(limit: BundlePlist.valueLimit).text),
                    at: list.place(of: node)
                )
            }
        }
    )

    private static let moreFindings = Rule(
        .moreFindings,
        source: .findingLimit,
        rationale: """
            A report with so many findings is of no use, and many programs that read reports refuse it. The finding \
            has the highest severity of those that are left out, so the exit code is the same. The rule cannot be \
            turned off.
            """,
        .projectReading
    )
}

extension Sequence<Diagnostic> {
    /// The findings in the order of reports, up to a limit for each file.
    ///
    /// One more finding for a file beyond the limit gives the number of omitted findings.
    func limited(to limit: Int) -> [Diagnostic] {
        var counts: [String: Int] = [:]
        var rest: [String: [Diagnostic]] = [:]
        var kept: [Diagnostic] = []
        for finding in inReportOrder() {
            guard let path = finding.place?.file.path else {
                kept.append(finding)
                continue
            }
            counts[path, default: 0] += 1
            if counts[path, default: 0] <= limit {
                kept.append(finding)
            } else {
                rest[path, default: []].append(finding)
            }
        }
        if rest.isEmpty { return kept }
        for left in rest.values {
            guard let place = left.first?.place else { continue }
            let numbers = [Severity.error, .warning, .info].compactMap { severity -> String? in
                let count = left.count { $0.severity == severity }
                return count == 0 ? nil : counted(count, severity.rawValue)
            }
            var finding = Diagnostic(
                .tooManyFindings(left.count, numbers.joined(separator: ", "), limit: limit),
                at: place
            )
            finding.severity = left.map(\.severity).max() ?? .error
            kept.append(finding)
        }
        return kept.inReportOrder()
    }
}
