// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
public import DiagnosticSources
package import DocumentFormats
import LiquidTemplates
import POSIXFiles
import PayloadKit

extension ProjectConfiguration {
    /// The nearest configuration of a file or folder: in the same folder or a parent folder, up to the root of the
    /// repository.
    ///
    /// - Parameter path: the file or folder.
    /// - Returns: the configuration; nil if there is none.
    /// - Throws: `InputError` with all errors of the file.
    public static func nearest(to path: String) throws(InputError) -> ProjectConfiguration? {
        var folder = path.absolutePath.standardizedPath
        if FolderWalk.item(at: folder) != .folder { folder = folder.folder }
        var paths = ProjectPaths(workingFolder: String.workingFolder)
        paths.showsParents = !path.hasPrefix("/")
        while true {
            let path = folder + "/" + fileName
            if FileStatus(path: path, followsLink: false) != nil {
                return try ProjectConfiguration(file(at: path, Overlay([:]), paths), folder: folder)
            }
            try refuseMisspeltFile(in: folder, paths)
            guard !folder.isEmpty, FolderWalk.item(at: folder + "/.git") == nil else { return nil }
            folder = folder.folder
        }
    }

    /// Reads the configuration file at a path.
    static func file(at path: String, _ overlay: Overlay, _ paths: ProjectPaths) throws(InputError) -> SourceFile {
        do throws(FileError) {
            return try overlay.file(at: path, shownAs: paths.displayPath(path), in: paths.root(of: path))
        } catch {
            let message = ProjectMessage.unread(error.explanation)
            throw InputError(.invalid, [Diagnostic(message, at: paths.place(of: path))])
        }
    }

    /// Throws an error if a folder has a misnamed file that is probably meant as the configuration.
    static func refuseMisspeltFile(in folder: String, _ paths: ProjectPaths) throws(InputError) {
        guard let misspelt = misspeltFile(in: folder) else { return }
        throw InputError(.invalid, [Diagnostic(.misnamedConfiguration, at: paths.place(of: misspelt))])
    }

    /// A file in a folder that is probably meant as the configuration, but has a name that no command reads.
    ///
    /// A file without the leading period may have another purpose, such as a CI job, so its keys decide.
    private static func misspeltFile(in folder: String) -> String? {
        for name in FolderWalk.names(in: folder.isEmpty ? "/" : folder) ?? [] where name != fileName {
            // The folder may contain many files, so names that begin with another letter are skipped first.
            let first = name.utf8.first(where: \.isLetter)?.lowercased
            guard first == UInt8(ascii: "p") else { continue }
            let parts = name.split(separator: ".")
            let hasSuffix = ["yml", "yaml", "json"].contains(parts.last ?? "")
            let letters = (hasSuffix ? parts.dropLast() : parts).joined().lowercased().filter(\.isLetter)
            let path = folder + "/" + name
            guard letters == "payloadgen", hasSuffix || name.hasPrefix("."), FolderWalk.item(at: path) == .file else {
                continue
            }
            if name.hasPrefix(".") { return path }
            let file = try? SourceFile(contentsOf: path, in: ProjectRoot(of: path))
            let keys = [
                "version", "rule_set", "rules", "overrides", "apps", "exclude", "campaigns", "external_categories",
                "attributes", "budget", "limits", "newline_at_end", "pull", "workspace",
            ].count { file?.hasLine(startingWith: $0 + ":") ?? false }
            if keys > 1 { return path }
        }
        return nil
    }

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - folder: the absolute path of the file's folder, to which the paths in the file are relative.
    /// - Throws: `InputError` with all errors of the file.
    public init(_ file: SourceFile, folder: String) throws(InputError) {
        var reader = ConfigurationReader(file, folder: folder)
        if let root = try DocumentNode.read(file, rule: .configurationSyntax) { reader.read(root) }
        guard reader.document.diagnostics.isEmpty else { throw InputError(.invalid, reader.document.diagnostics) }
        self = reader.configuration
    }
}

extension RuleID {
    package static let configurationUnknownKey = RuleID(
        "configuration-unknown-key", .error, "an unknown key in .payloadgen.yml"
    )
}

/// Reads the nodes of `.payloadgen.yml`.
private struct ConfigurationReader {
    private(set) var document: DocumentReader
    private(set) var configuration: ProjectConfiguration

    init(_ file: SourceFile, folder: String) {
        document = DocumentReader(
            file: file,
            syntaxRule: .configurationSyntax,
            unknownKeyRule: .configurationUnknownKey
        )
        configuration = ProjectConfiguration(folder: folder)
    }

    mutating func read(_ root: DocumentNode) {
        guard let root = document.checked(root, .configuration) else { return }
        configuration.rules.set = root.text("rule_set").flatMap { RuleSet(rawValue: $0) }
        if let rules = root["rules"] { configuration.rules = readRules(rules, configuration.rules) }
        readOverrides(root["overrides"]?.elements ?? [])
        configuration.excluded = patterns(root["exclude"]?.elements ?? [])
        let apps = root.members("apps")
        if let first = apps.dropFirst(Cap.apps).first {
            document.report("more than the limit of \(Cap.apps) apps", at: first.keyRange)
        }
        configuration.apps = apps.prefix(Cap.apps).compactMap { readApp($0) }
        for node in root["campaigns"]?.elements ?? [] { readCampaignFolder(node) }
        configuration.externalCategories = texts(root["external_categories"])
        let attributes = root.members("attributes")
        configuration.givenAttributes = Set(attributes.filter { $0.value.bool("always") == true }.map(\.name))
        if let budget = root.integer("budget") { configuration.budget = budget }
        configuration.keepsNewlineOfBlocks = root.text("newline_at_end") == "keep"
        if let pull = root["pull"] { readPull(pull) }
        readWorkspace(
            root["workspace"], matches: root["pull"]?.elements("match") ?? [], attributes: attributes.map(\.name))
        for limit in Limit.allCases {
            if let value = root["limits"]?.integer(limit.rawValue) { configuration.limits[limit] = value }
        }
    }

    /// Limits, since each file is compared with each pattern, and each app may contain all files.
    private enum Cap {
        static let apps = 1_000
        static let overrides = 100
        static let patterns = 1_000
        static let patternBytes = 1_024
    }

    private mutating func patterns(_ nodes: [DocumentNode]) -> [PathPattern] {
        if let first = nodes.dropFirst(Cap.patterns).first {
            document.report("more than the limit of \(Cap.patterns) patterns", at: first.range)
        }
        return nodes.prefix(Cap.patterns).compactMap { node in
            guard let text = node.scalar?.text else { return nil }
            if text.utf8.count <= Cap.patternBytes { return PathPattern(text) }
            document.report("the pattern exceeds the limit of \(Cap.patternBytes) bytes", at: node.range)
            return nil
        }
    }

    private mutating func readOverrides(_ nodes: [DocumentNode]) {
        if let first = nodes.dropFirst(Cap.overrides).first {
            document.report("more than the limit of \(Cap.overrides) overrides", at: first.range)
        }
        let folder = configuration.folder
        for node in nodes.prefix(Cap.overrides) {
            let elements = node.elements("paths")
            if elements.isEmpty { document.report("'overrides': found no path under 'paths'", at: node.range) }
            let patterns = patterns(elements)
            let levels = node["rules"].map { readRules($0, RuleLevels()) } ?? RuleLevels()
            configuration.rules.overrides.append(
                RuleOverride(elements.compactMap(\.scalar?.text), levels) { path in
                    ProjectConfiguration.match(patterns, path, in: folder)
                })
        }
    }

    private mutating func readCampaignFolder(_ node: DocumentNode) {
        guard let text = node.scalar?.text else { return }
        let folder = path(text)
        configuration.campaignFolders.append(folder)
        if isRead(folder, at: node), FolderWalk.item(at: folder) != .folder {
            document.report("'\(Linter.shownPath(folder))' is a file, expected a folder", at: node.range)
        }
    }

    /// Reports a path that cannot be read in the project, and returns whether it can be read.
    @discardableResult
    private mutating func isRead(_ path: String, at node: DocumentNode) -> Bool {
        let root = ProjectRoot(around: configuration.folder)
        do throws(FileError) {
            _ = try root.resolve(path)
            return true
        } catch {
            let shown = Linter.shownPath(path)
            guard error.reason == .missing else {
                document.report("'\(shown)' is not read: \(error.explanation)", at: node.range)
                return false
            }
            let siblings = (try? root.resolve(path.folder)).flatMap { _ in FolderWalk.names(in: path.folder) } ?? []
            let near = nearestName(to: path.fileName, in: siblings).map { Linter.shownPath("\(path.folder)/\($0)") }
            document.report("no file or folder '\(shown)'\(didYouMean(near))", at: node.range)
            return false
        }
    }

    private mutating func readRules(_ node: DocumentNode, _ levels: RuleLevels) -> RuleLevels {
        var levels = levels
        var suggestions = Suggestions()
        for member in node.members ?? [] {
            if let retired = RetiredRule.named(member.name) {
                let place = document.place(member.keyRange)
                let note = Diagnostic(document.unknownKeyRule, retired.message, at: place, severity: .info)
                configuration.notes.append(note)
                continue
            }
            guard let rule = Rule.named(member.name) else {
                let near = suggestions.nearest(to: member.name, in: Rule.all.map(\.id.name))
                document.report(
                    "unknown rule '\(member.name)'\(didYouMean(near, else: "; 'payloadgen rules' lists all"))",
                    at: member.keyRange,
                    rule: document.unknownKeyRule
                )
                continue
            }
            let severity = member.value.scalar.flatMap { Severity(rawValue: $0.text) }
            levels[rule.id] = severity.map(RuleLevel.severity) ?? .off
        }
        return levels
    }

    // MARK: - The workspace

    private mutating func readPull(_ node: DocumentNode) {
        configuration.pull.url = node["url"].flatMap { placedText($0) }
        configuration.pull.into = node.text("into").map(path)
        configuration.pull.keyName = node.text("key_env")
        // Otherwise the configuration of a repository could send another secret of its users to a server.
        let prefix = "BRAZE_"
        if let name = node["key_env"], configuration.pull.keyName?.hasPrefix(prefix) == false {
            document.report(
                "'pull.key_env': expected a name that begins with '\(prefix)'; give any other name with --key-env",
                at: name.range)
        }
    }

    private mutating func readWorkspace(_ node: DocumentNode?, matches: [DocumentNode], attributes: [String]) {
        let folder = node?.scalar.map { path($0.text) } ?? configuration.pull.into ?? configuration.folder
        if let node { isRead(folder, at: node) }
        var (registry, faults) = WorkspaceRegistry.read(
            in: folder, root: ProjectRoot(around: configuration.folder), shown: Linter.shownPath)
        for fault in faults { document.report(fault) }
        registry.add(attributes)
        configuration.workspace = Workspace(folder: folder, registry: registry, matches: matches.map { match($0) })
    }

    private mutating func match(_ node: DocumentNode) -> Workspace.Match {
        var match = Workspace.Match()
        (match.name, match.id, match.tag) = (node.text("name"), node.text("id"), node.text("tag"))
        if [match.name, match.id, match.tag].allSatisfy({ $0 == nil }) {
            document.report("'pull.match': expected 'name', 'id' or 'tag' in each element", at: node.range)
        }
        if let category = node["category"], let scalar = category.scalar {
            match.category = TemplateText(
                field: "category", text: scalar.text, file: document.file, range: category.range, map: scalar.map)
        }
        match.app = node["app"].flatMap { placedText($0) }
        match.requirements = node["requires"].map { document.requirements($0) }
        return match
    }

    private func placedText(_ node: DocumentNode) -> Placed<String>? {
        node.scalar.map { Placed($0.text, at: document.place(node.range)) }
    }

    private mutating func readApp(_ member: DocumentMember) -> ProjectConfiguration.App? {
        let node = member.value
        if let text = node.scalar?.text { return app(member, .path(path(text)), at: node) }
        let name = "apps." + member.name
        let sources = ["path", "project", "plists"].compactMap { key in node[key].map { (key, $0) } }
        guard sources.count == 1, let (key, value) = sources.first else {
            document.report("'\(name)': expected one of 'path', 'project', 'plists'", at: member.keyRange)
            return nil
        }
        let target = node.text("target")
        if target != nil, key != "project" {
            document.report("'\(name)': found 'target' without 'project'", at: member.keyRange)
        }
        let text = path(value.scalar?.text ?? "")
        switch key {
        case "path": return app(member, .path(text), at: value)
        case "project": return app(member, .target(target, project: text), at: node["target"] ?? value)
        default:
            checkLists(value, of: name)
            return app(member, .plists(texts(value).map(path)), at: value)
        }
    }

    /// Reports an empty list, and elements that are not property lists.
    private mutating func checkLists(_ node: DocumentNode, of name: String) {
        guard let elements = node.elements else { return }
        if elements.isEmpty { document.report("'\(name)': found no file under 'plists'", at: node.range) }
        for element in elements {
            guard let text = element.scalar?.text else { continue }
            if ProjectFile.Kind(text) == .list, FolderWalk.item(at: path(text)) != .folder { continue }
            document.report(
                "'\(name)': found '\(text)' under 'plists', expected a file whose name ends with '.plist' or '.entitlements'",
                at: element.range
            )
        }
    }

    private mutating func app(
        _ member: DocumentMember,
        _ source: ProjectConfiguration.App.Source,
        at node: DocumentNode
    ) -> ProjectConfiguration.App {
        for path in source.paths { isRead(path, at: node) }
        return ProjectConfiguration.App(
            name: Placed(member.name, at: document.place(member.keyRange)),
            source: source,
            place: document.place(node.range)
        )
    }

    private func texts(_ node: DocumentNode?) -> [String] { node?.elements?.compactMap(\.scalar?.text) ?? [] }

    private func path(_ text: String) -> String {
        ProjectPaths(workingFolder: configuration.folder).absolute(text)
    }
}

extension Format {
    /// The format of `.payloadgen.yml`.
    package static let configuration = Format(
        name: "the configuration",
        summary: "The configuration of a project: .payloadgen.yml at its root. Paths are relative to the file.",
        traits: .mayBeEmpty,
        [
            Key("version", .version(1), "The version of the format."),
            Key(
                "rule_set",
                .choice(RuleSet.allCases.map(\.rawValue)),
                "The rules that are on: 'recommended', the default, or 'strict' for all of them."
            ),
            Key("rules", severities, "Severities of rules by their ids; 'payloadgen rules' lists the rules."),
            Key(
                "overrides",
                .list(
                    .object(
                        Format([
                            Key(
                                "paths", .list(.text), isRequired: true,
                                "Files and folders, with patterns as in .gitignore."),
                            Key("rules", .mapping(level), isRequired: true, "Severities of rules in these files."),
                        ]))),
                "Severities of rules in some files; if several entries fit a file, the last one counts."
            ),
            Key("exclude", .list(.text), "Files and folders that are not read, with patterns as in .gitignore."),
            Key(
                "apps",
                .mapping(.either([.text, .object(configuredApp)])),
                "The apps, by the names that campaigns use. Each is a folder, the JSON that 'payloadgen app' writes, or an object."
            ),
            Key("campaigns", .list(.text), "The folders with campaigns; by default all folders."),
            Key("external_categories", .list(.text), "Categories that need no extension of the app."),
            Key(
                "attributes",
                .mapping(.object(Format([Key("always", .boolean, "Whether every user has the attribute.")]))),
                "Attributes of users. One that every user has, {first_name: {always: true}}, needs no default; the others are names that are not reported as unknown."
            ),
            Key(
                "budget",
                .integer(0 ... .max),
                "The number of bytes that a campaign may have without a warning."
            ),
            Key(
                "newline_at_end",
                .choice(["drop", "keep"]),
                "Whether the newline at the end of a content block's file is sent: 'drop', the default, or 'keep'."
            ),
            Key("pull", .object(pull)),
            Key(
                "workspace", .text,
                "The folder with the files of 'payloadgen pull'; by default that of 'pull.into', else that of this file."
            ),
            Key(
                "limits",
                .object(Format(Limit.allCases.map { Key($0.rawValue, .integer($0.range), $0.summary) })),
                "The limits for rendering one message."
            ),
        ]
    )

    private static let severities = Kind.object(
        Format(traits: .reportsOtherKeys, Rule.all.map { Key($0.id.name, level, $0.id.summary) }))

    private static let level = Kind.choice(["error", "warning", "info", "off"])

    private static let pull = Format(
        summary: "How 'payloadgen pull' asks Braze, and what pulled campaigns get that Braze's API does not give.",
        [
            Key("url", .text, "The REST API of the workspace, such as https://rest.iad-01.braze.com."),
            Key("key_env", .text, "The environment variable with the REST API key; by default BRAZE_API_KEY."),
            Key("into", .text, "The folder that 'payloadgen pull' writes to; by default that of this file."),
            Key(
                "match", .list(.object(match)),
                "Values for pulled campaigns, by their name, id or tag; the first entry that fits counts."),
        ]
    )

    private static let match = Format(
        needs: .anyOf(["name", "id", "tag"]),
        [
            Key("name", .text, "The name of campaigns or Canvases, with * for any characters."),
            Key("id", .text, "The id of a campaign or Canvas."),
            Key("tag", .text, "A tag of campaigns or Canvases."),
            Key("category", .text, "The category of their pushes."),
            Key("app", .text, "One of the apps in this file."),
            Key("requires", .object(.requirements), "What the app needs to have for their pushes."),
        ]
    )

    private static let configuredApp = Format(
        needs: .exactlyOneOf(["path", "project", "plists"]),
        [
            Key("path", .text, "A folder that is one app, or the JSON that 'payloadgen app' writes."),
            Key("project", .text, "An Xcode project."),
            Key("target", .text, "The application target; required if the project has several."),
            Key("plists", .list(.text), "Info.plists and entitlements that together are one app."),
        ]
    )
}
