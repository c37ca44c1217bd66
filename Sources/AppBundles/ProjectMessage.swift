// SPDX-License-Identifier: MIT

import AppDeclarations
package import DiagnosticSources
package import POSIXFiles

/// A finding about a part of a project that is not read or not checked, before it has a place.
package struct ProjectMessage: Sendable {
    package var rule = RuleID.overLimit
    package var text: String

    /// The severity of the finding; nil for the severity of its rule.
    package var severity: Severity?

    /// The message about a missing `.xcconfig`.
    ///
    /// Many projects name files that a tool or a person creates only locally.
    static func missingConfiguration(_ path: String) -> ProjectMessage {
        ProjectMessage(
            rule: .missingFile,
            text: "no file '\(path)': the build settings that it may assign are not known",
            severity: .info
        )
    }

    /// The message about a merge conflict that was left in an `.xcconfig`.
    static let conflictInConfiguration = ProjectMessage(
        rule: .unreadFile, text: "the file has a merge conflict here, so the build settings are not known for certain")
    /// The message about a merge conflict that was left in code.
    static let conflictInCode = ProjectMessage(
        rule: .unreadFile, text: "the file has a merge conflict here, so what the code reads is not known for certain")
    /// The message about a line of an `.xcconfig` that begins with `#` and is not an `#include`.
    static func unknownDirective(_ line: String) -> ProjectMessage {
        let word = line.dropFirst().drop { $0 == " " }.prefix { $0.isLetter || $0 == "?" }
        let isNear = nearestName(to: String(word), in: ["include", "include?"]) != nil
        let meant = isNear || line.holds("include") ? ", expected #include \"FILE\"" : "; a comment begins with //"
        return ProjectMessage(rule: .unreadFile, text: "Xcode cannot read this line\(meant)", severity: .warning)
    }
    /// The message about a line of an `.xcconfig` that assigns nothing.
    static let noSetting = ProjectMessage(
        rule: .unreadFile, text: "Xcode cannot read this line, expected NAME = VALUE", severity: .warning)

    /// The message about a file or folder that is named in the wrong case but is read anyway.
    ///
    /// - Parameters:
    ///   - source: what names the file, such as a build setting.
    ///   - named: the path as it is named.
    ///   - real: the path on disk.
    ///   - severity: the severity; nil for the severity of the rule.
    /// - Returns: the message.
    static func otherCase(_ source: String, _ named: String, _ real: String, _ severity: Severity?) -> ProjectMessage {
        ProjectMessage(
            rule: .missingFile,
            text: "\(source) names '\(named)', which only macOS finds, did you mean '\(real)'?",
            severity: severity
        )
    }
    /// The message about a file that a `project.yml` includes but that does not exist.
    static func missingInclude(_ path: String) -> ProjectMessage {
        ProjectMessage(
            rule: .missingFile,
            text: "include names '\(path)', which does not exist, so the targets in it are not known",
            severity: .warning
        )
    }
    /// The message about a file that a `project.yml` includes but that is not valid YAML.
    static func brokenInclude(_ path: String, _ fault: Diagnostic?) -> ProjectMessage {
        let reason = fault?.message ?? "it is not valid YAML"
        return ProjectMessage(
            rule: .unreadFile,
            text: "'\(path)' is not read, so the targets in it are not known: \(reason)",
            severity: .warning
        )
    }
    /// The message about a template that a target of a `project.yml` names and that does not exist.
    static func unknownTemplate(_ name: String, near: String?) -> ProjectMessage {
        let hint = didYouMean(near, after: ";", else: ", so it does nothing")
        return ProjectMessage(
            rule: .missingFile, text: "the target names a template '\(name)', which does not exist\(hint)",
            severity: .warning)
    }
    static func tooManyIncludes(limit: Int) -> ProjectMessage {
        ProjectMessage(text: "the project includes more than the limit of \(limit) files; this one is not read")
    }

    /// The message about a file that another file names but that is not read.
    ///
    /// The severity is info if the file is in a folder of other projects, such as `Pods`. It stays an error in a hidden
    /// folder, such as `.git`, as no project keeps files for its build there.
    package static func unread(_ path: String, _ error: FileError) -> ProjectMessage {
        var severity: Severity?
        if case .closed(let folder) = error.reason, !folder.hasPrefix(".") { severity = .info }
        return ProjectMessage(
            rule: .unreadFile,
            text: "'\(path)' is not read: \(error.explanation)",
            severity: severity
        )
    }

    /// The message about an optional file outside the project, which counts as missing.
    static func unreadOptional(_ path: String, _ error: FileError) -> ProjectMessage {
        ProjectMessage(
            rule: .unreadFile,
            text: "'\(path)' is not read: \(error.explanation); the settings are those without it",
            severity: .info
        )
    }

    /// The message about a file or folder that was found but is not read, for the reason given.
    package static func unread(_ explanation: String, severity: Severity? = nil) -> ProjectMessage {
        ProjectMessage(rule: .unreadFile, text: "not read: \(explanation)", severity: severity)
    }
    /// The message about a file that declares key-value pairs but is not named `payloadgen.extras.yml`.
    package static let misnamedExtras = ProjectMessage(
        rule: .unreadFile,
        text: "not read: key-value pairs of an app are declared in 'payloadgen.extras.yml'"
    )
    /// The message about a configuration that is not named `.payloadgen.yml`.
    package static let misnamedConfiguration = ProjectMessage(
        rule: .unreadFile,
        text: "not read: the configuration of a project is named '.payloadgen.yml'"
    )
    /// The message about a configuration in an inner folder, which a run on an outer folder does not use.
    package static func unusedConfiguration(_ folder: String) -> ProjectMessage {
        ProjectMessage(
            rule: .unreadFile,
            text: """
                not used: a run follows only the configurations of the paths that you name; to follow this one too, \
                name '\(folder)' as well
                """,
            severity: .warning
        )
    }
    /// The message about a symbolic link to a folder that is not searched.
    package static let unfollowedLink = ProjectMessage(
        rule: .unreadFile,
        text: "not read: a symbolic link to a folder; to check that folder, name it as well",
        severity: .info
    )

    /// The message about a project file that cannot be read as one.
    static func notAProject(_ reason: String?) -> ProjectMessage {
        ProjectMessage(
            rule: .unreadFile,
            text: "the file cannot be read as an Xcode project\(reason.map { " (\($0))" } ?? ""), "
                + "so apps are found only by their folders"
        )
    }
    /// The message about a file that includes itself, directly or through other files.
    static func includeCycle(_ path: String) -> ProjectMessage {
        ProjectMessage(
            rule: .unreadFile,
            text: "'\(path)' includes itself, so Xcode skips this #include",
            severity: .warning
        )
    }
    static func includesTooDeep(limit: Int) -> ProjectMessage {
        ProjectMessage(text: "#include is nested deeper than the limit of \(limit) files; this one is not read")
    }
    static func tooManySettings(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: """
                the configuration files have more than the limit of \(limit) lines, once included files are counted as \
                often as they are included; the settings of this one are not known
                """
        )
    }
    static func tooManySpecTargets(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text:
                "the project has more than the limit of \(limit) targets; this target and those after it are not checked"
        )
    }
    static func tooManyTemplates(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: "the target uses more than the limit of \(limit) templates; what the others declare is not known"
        )
    }
    static func targetsTooLarge(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: """
                the targets have more than the limit of \(limit >> 20) MiB together, once their templates are filled in; \
                this target and those after it are not checked
                """
        )
    }
    static func tooManyGroupSettings(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: """
                the targets have more than the limit of \(limit) settings together, once those of setting groups are \
                counted as often as they are used; the settings of this target and those after it are not known
                """
        )
    }
    static func groupsTooDeep(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text:
                "setting groups are nested deeper than the limit of \(limit); the settings of the inner ones are not known"
        )
    }
    static func tooManyConfigurations(limit: Int) -> ProjectMessage {
        ProjectMessage(text: "more than the limit of \(limit) configurations in one list; the others are not checked")
    }
    static func tooManyTargets(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: """
                the targets have more than the limit of \(limit) configurations together; this target and those after it \
                are not checked
                """
        )
    }
    static func tooManyEmbedded(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: "the target embeds more than the limit of \(limit) extensions; the others are not checked with it"
        )
    }
    /// The message about extensions that a target embeds but that no target of its project builds.
    static func foreignExtensions(_ target: String, _ names: [String], count: Int) -> ProjectMessage {
        ProjectMessage(
            rule: .unreadFile,
            text: """
                '\(target)' embeds \(names.quoted(atMost: 3, of: count)), which no target of this project builds, so what \
                \(count == 1 ? "it declares is" : "they declare is") not known
                """,
            severity: .info
        )
    }
    static func tooManyUses(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: """
                more than the limit of \(limit) targets and configurations use the property lists of this target; the \
                build settings of the others are not read
                """
        )
    }
    package static func tooManyValues(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: """
                the apps declare more than the limit of \(limit) values in all their configurations together; from this app \
                on they are not checked
                """
        )
    }
    package static func tooManyInList(limit: Int) -> ProjectMessage {
        ProjectMessage(text: "more than the limit of \(limit) values; from this one on they are not checked")
    }
    package static func tooManyFindings(_ count: Int, _ severities: String, limit: Int) -> ProjectMessage {
        ProjectMessage(
            rule: .moreFindings,
            text:
                "\(count) more findings in this file (\(severities)) are left out: only the first \(limit) of a file are reported"
        )
    }
    static func tooManyLinks(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: """
                the targets copy or depend on more than the limit of \(limit) files and targets together; those of this \
                target are not known
                """
        )
    }
    static func tooManyBundles(limit: Int) -> ProjectMessage {
        ProjectMessage(
            text: """
                the apps have more than the limit of \(limit) bundles in all their configurations together; this app is \
                not checked
                """
        )
    }
}

extension Diagnostic {
    package init(_ message: ProjectMessage, at place: SourcePlace) {
        self.init(message.rule, message.text, at: place, severity: message.severity)
    }
}
