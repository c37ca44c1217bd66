// SPDX-License-Identifier: MIT

import AppBundles
import Files
import PayloadKit
public import SourceText

extension ProjectConfiguration {
    /// The nearest configuration of a file or folder: in its own folder or above, up to the root of the repository.
    ///
    /// - Parameter path: the file or folder.
    /// - Returns: the configuration; nil where there is none.
    /// - Throws: ``ConfigurationError`` with every fault of the file.
    public static func nearest(to path: String) throws(ConfigurationError) -> ProjectConfiguration? {
        var folder = path.absolutePath.standardizedPath
        if FolderWalk.item(at: folder) != .folder { folder = folder.folder }
        while true {
            let path = folder + "/" + fileName
            if FolderWalk.item(at: path) == .file {
                let shown = ProjectPaths(workingFolder: String.workingFolder).shown(path)
                let bytes = FolderWalk.bytes(of: path) ?? []
                return try ProjectConfiguration(SourceFile(path: shown, bytes: bytes), folder: folder)
            }
            guard !folder.isEmpty, FolderWalk.item(at: folder + "/.git") == nil else { return nil }
            folder = folder.folder
        }
    }

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - folder: the absolute path of its folder, to which the paths in it are relative.
    /// - Throws: ``ConfigurationError`` with every fault of the file.
    public init(_ file: SourceFile, folder: String) throws(ConfigurationError) {
        var reader = ConfigurationReader(file, folder: folder)
        do throws(DocumentError) {
            if let root = try DocumentNode.read(file, rule: ConfigurationReader.syntaxRule) { reader.read(root) }
        } catch {
            throw ConfigurationError(error.diagnostics)
        }
        guard reader.document.diagnostics.isEmpty else { throw ConfigurationError(reader.document.diagnostics) }
        self = reader.configuration
    }
}

/// Reads the nodes of a `.payloadgen.yml`.
private struct ConfigurationReader {
    static let syntaxRule = "configuration-syntax"

    private(set) var document: DocumentReader
    private(set) var configuration: ProjectConfiguration

    init(_ file: SourceFile, folder: String) {
        document = DocumentReader(
            file: file,
            syntaxRule: Self.syntaxRule,
            unknownKeyRule: "configuration-unknown-key"
        )
        configuration = ProjectConfiguration(folder: folder)
    }

    mutating func read(_ root: DocumentNode) {
        let keys = ["version", "rules", "exclude", "apps", "campaigns", "external_categories", "budget"]
        for member in document.members(of: root, name: "the configuration", owner: "the configuration", keys: keys) {
            let node = member.value
            switch member.name {
            case "version":
                if let version = document.integer(node, "version"), version != 1 {
                    document.report("found version \(version), expected 1", at: node.range)
                }
            case "rules": readRules(node)
            case "exclude": configuration.excluded = texts(node, "exclude").map(PathPattern.init)
            case "apps": configuration.apps = document.members(of: node, name: "apps").compactMap { readApp($0) }
            case "campaigns": configuration.campaignFolders = texts(node, "campaigns").map(path)
            case "external_categories": configuration.externalCategories = texts(node, "external_categories")
            case "budget":
                guard let bytes = document.integer(node, "budget") else { continue }
                if bytes < 0 {
                    document.report("found the budget \(bytes), expected a number of bytes", at: node.range)
                }
                configuration.budget = bytes
            default: break
            }
        }
    }

    private enum Level: String, CaseIterable {
        case error, warning, info, off
    }

    private mutating func readRules(_ node: DocumentNode) {
        let ids = Rule.all.map(\.id)
        for member in document.members(of: node, name: "rules") {
            guard ids.contains(member.name) else {
                let near = nearestName(to: member.name, in: ids).map { ", did you mean '\($0)'?" }
                document.report(
                    "unknown rule '\(member.name)'\(near ?? "; 'payloadgen rules' lists all")",
                    at: member.keyRange,
                    rule: document.unknownKeyRule
                )
                continue
            }
            guard let level = document.choice(member.value, "rules." + member.name, of: Level.self) else { continue }
            let severity = Severity(rawValue: level.rawValue)
            configuration.rules[member.name] = severity.map(ProjectConfiguration.RuleLevel.severity) ?? .off
        }
    }

    private mutating func readApp(_ member: DocumentMember) -> ProjectConfiguration.App? {
        let name = "apps." + member.name
        guard member.value.members != nil else {
            let text = document.text(member.value, name)
            return text.map { app(member, .path(path($0.text)), at: member.value) }
        }
        var found: [(key: String, source: ProjectConfiguration.App.Source, node: DocumentNode)] = []
        var target: String?
        let keys = ["path", "project", "target", "plists"]
        for part in document.members(of: member.value, name: name, owner: "'\(name)'", keys: keys) {
            switch part.name {
            case "path":
                if let text = document.text(part.value, name + ".path") {
                    found.append(("path", .path(path(text.text)), part.value))
                }
            case "project":
                if let text = document.text(part.value, name + ".project") {
                    found.append(("project", .target(nil, project: path(text.text)), part.value))
                }
            case "target": target = document.text(part.value, name + ".target")?.text
            case "plists":
                found.append(("plists", .plists(texts(part.value, name + ".plists").map(path)), part.value))
            default: break
            }
        }
        guard found.count == 1, let only = found.first else {
            document.report("'\(name)': expected one of 'path', 'project', 'plists'", at: member.keyRange)
            return nil
        }
        if case .target(_, let project) = only.source {
            return app(member, .target(target, project: project), at: only.node)
        }
        if target != nil { document.report("'\(name)': found 'target' without 'project'", at: member.keyRange) }
        return app(member, only.source, at: only.node)
    }

    private mutating func app(
        _ member: DocumentMember,
        _ source: ProjectConfiguration.App.Source,
        at node: DocumentNode
    ) -> ProjectConfiguration.App {
        for path in source.paths where FolderWalk.item(at: path) == nil {
            document.report("no file or folder '\(Linter.shownPath(path))'", at: node.range)
        }
        return ProjectConfiguration.App(
            name: Placed(member.name, at: document.place(member.keyRange)),
            source: source,
            place: document.place(node.range)
        )
    }

    private mutating func texts(_ node: DocumentNode, _ name: String) -> [String] {
        var texts: [String] = []
        for (index, element) in document.elements(of: node, name: name).enumerated() {
            if let text = document.text(element, "\(name)[\(index)]") { texts.append(text.text) }
        }
        return texts
    }

    private func path(_ text: String) -> String {
        ProjectPaths(workingFolder: configuration.folder).absolute(text)
    }
}
