// SPDX-License-Identifier: MIT

import Files
package import PropertyLists
package import SourceText

/// The targets of an Xcode project: which app embeds which extensions, and what each is built from.
///
/// The file `project.pbxproj` is an OpenStep property list: a table of objects that name each other by ids.
package struct XcodeProject: Sendable {
    /// The name of the file inside of a `.xcodeproj`.
    package static let fileName = "project.pbxproj"

    /// A target that builds a bundle.
    package struct Target: Sendable {
        /// What a target builds.
        package enum Kind: Sendable, Hashable {
            case application, appExtension, other
        }

        /// The name.
        package var name: String

        /// What it builds.
        package var kind: Kind

        /// Where the project names it.
        package var place: SourcePlace

        /// The places in ``XcodeProject/targets`` of the extensions that it embeds.
        package var embedded: [Int] = []

        /// The build settings, by the names of the configurations in their order.
        package var configurations: [(name: String, settings: BuildSettings)]

        /// The settings in a configuration.
        package func settings(in configuration: String) -> BuildSettings? {
            configurations.first { $0.name == configuration }?.settings
        }
    }

    /// The folder that paths of the project are relative to.
    package let folder: String

    /// The targets, in the order of the project.
    package private(set) var targets: [Target] = []

    /// The configuration that is built where nobody names one; releases usually are.
    package private(set) var defaultConfiguration: String?

    /// Reads a project; nil where the file is none.
    ///
    /// - Parameters:
    ///   - document: the file.
    ///   - folder: the folder that holds the `.xcodeproj`.
    ///   - read: gives further files, such as `.xcconfig`; nil where there is none.
    package init?(_ document: PlistDocument, folder: String, read: @escaping (String) -> SourceFile?) {
        guard !document.isBroken, let reader = XcodeProjectReader(document, folder: folder, read: read) else {
            return nil
        }
        self.folder = reader.sourceRoot
        defaultConfiguration = reader.defaultConfiguration
        targets = reader.targets()
    }

    /// The path of a file as a setting names it; nil where a reference in it cannot be replaced.
    package func path(_ setting: String, in settings: BuildSettings) -> PathSetting? {
        guard let value = settings.value(of: setting), !value.isEmpty else { return nil }
        if App.holdsBuildSetting(value) { return .unresolved(value) }
        return .path((value.hasPrefix("/") ? value : folder + "/" + value).standardizedPath)
    }

    /// A path that a build setting gives.
    package enum PathSetting: Sendable {
        case path(String)
        /// A text with references that cannot be replaced.
        case unresolved(String)
    }
}

/// Follows the ids in a project.
private struct XcodeProjectReader {
    let document: PlistDocument
    let sourceRoot: String
    private let objects: [String: PlistNode]
    private let project: PlistNode
    private let read: (String) -> SourceFile?
    /// The group that holds an object, by the object's id.
    private let groups: [String: String]

    init?(_ document: PlistDocument, folder: String, read: @escaping (String) -> SourceFile?) {
        guard let table = document["objects"], let root = document["rootObject"]?.string else { return nil }
        var objects: [String: PlistNode] = [:]
        var groups: [String: String] = [:]
        for object in document.children(of: table) {
            guard let id = object.key?.text else { continue }
            objects[id] = object
            guard let children = document[object, "children"] else { continue }
            for child in document.children(of: children) { groups[child.text] = id }
        }
        guard let project = objects[root] else { return nil }
        self.document = document
        self.objects = objects
        self.groups = groups
        self.project = project
        self.read = read
        let inner = document[project, "projectDirPath"]?.string ?? ""
        sourceRoot = inner.isEmpty ? folder : (folder + "/" + inner).standardizedPath
    }

    var defaultConfiguration: String? {
        object(in: project, "buildConfigurationList").flatMap { text(of: $0, "defaultConfigurationName") }
    }

    func targets() -> [XcodeProject.Target] {
        let nodes = objects(in: project, "targets").filter { text(of: $0, "isa") == "PBXNativeTarget" }
        let common = configurations(of: project)
        var targets = nodes.map { node in
            XcodeProject.Target(
                name: text(of: node, "name") ?? "",
                kind: kind(of: node),
                place: document.place(document[node, "name"]?.range ?? node.range),
                configurations: settings(of: node, over: common)
            )
        }
        var byID: [String: Int] = [:]
        for (index, node) in nodes.enumerated() {
            for id in [node.key?.text, text(of: node, "productReference")] {
                if let id { byID[id] = index }
            }
        }
        for (index, node) in nodes.enumerated() {
            let embedded = Set(embeddedIDs(of: node).compactMap { byID[$0] })
            targets[index].embedded = embedded.filter { targets[$0].kind == .appExtension }.sorted()
        }
        return targets
    }

    private func kind(of target: PlistNode) -> XcodeProject.Target.Kind {
        switch text(of: target, "productType") {
        case "com.apple.product-type.application": .application
        case "com.apple.product-type.app-extension": .appExtension
        default: .other
        }
    }

    /// The ids of targets and products that a target copies into its bundle, or depends on.
    private func embeddedIDs(of target: PlistNode) -> [String] {
        let copied = objects(in: target, "buildPhases").filter { text(of: $0, "isa") == "PBXCopyFilesBuildPhase" }
            .flatMap { objects(in: $0, "files") }.compactMap { text(of: $0, "fileRef") }
        return copied + objects(in: target, "dependencies").compactMap { text(of: $0, "target") }
    }

    // MARK: - Settings

    /// A configuration of the project or of a target, the layers of its settings strongest first.
    private struct Configuration {
        var name: String
        var layers: [BuildSettings.Layer]
    }

    private func configurations(of owner: PlistNode) -> [Configuration] {
        guard let list = object(in: owner, "buildConfigurationList") else { return [] }
        return objects(in: list, "buildConfigurations").map { configuration in
            var layers = [BuildSettings.Layer.table(table(of: configuration))]
            if let path = configurationFile(of: configuration) {
                // Dependency managers write files of their own, which set nothing of a bundle and are seldom kept.
                let isGenerated = path.split(separator: "/").contains("Pods") && read(path) == nil
                layers.append(isGenerated ? .table([:]) : BuildSettings.Layer(configurationFile: path, read: read))
            }
            return Configuration(name: text(of: configuration, "name") ?? "", layers: layers)
        }
    }

    private func settings(
        of target: PlistNode,
        over common: [Configuration]
    ) -> [(name: String, settings: BuildSettings)] {
        configurations(of: target).map { own in
            let project = common.first { $0.name == own.name }?.layers ?? []
            let name = text(of: target, "name") ?? ""
            let fixed = BuildSettings.Layer.table([
                "CONFIGURATION": own.name, "TARGET_NAME": name, "TARGETNAME": name, "SRCROOT": sourceRoot,
                "SOURCE_ROOT": sourceRoot, "PROJECT_DIR": sourceRoot,
            ])
            return (own.name, BuildSettings([fixed] + own.layers + project + [Self.defaults]))
        }
    }

    /// What Xcode takes where nobody sets it, as far as property lists name it.
    private static let defaults = BuildSettings.Layer.table([
        "PRODUCT_NAME": "$(TARGET_NAME)", "EXECUTABLE_NAME": "$(PRODUCT_NAME)",
        "PRODUCT_MODULE_NAME": "$(PRODUCT_NAME:c99extidentifier)",
    ])

    private func table(of configuration: PlistNode) -> [String: String] {
        guard let settings = document[configuration, "buildSettings"] else { return [:] }
        var table: [String: String] = [:]
        var conditional: [(String, String)] = []
        for setting in document.children(of: settings) {
            guard let key = setting.key?.text, let found = BuildSettings.Layer.unconditional(key) else { continue }
            let value =
                setting.kind == .array
                ? document.children(of: setting).map(\.text).joined(separator: " ") : setting.text
            if found.isConditional { conditional.append((found.name, value)) } else { table[found.name] = value }
        }
        for (name, value) in conditional { table[name] = value }
        return table
    }

    // MARK: - Paths

    private func configurationFile(of configuration: PlistNode) -> String? {
        if let id = text(of: configuration, "baseConfigurationReference") { return path(of: id) }
        guard let anchor = text(of: configuration, "baseConfigurationReferenceAnchor"),
            let relative = text(of: configuration, "baseConfigurationReferenceRelativePath")
        else { return nil }
        return path(of: anchor).map { ($0 + "/" + relative).standardizedPath }
    }

    /// The path of a file or a group; nil where it is relative to something that is not known.
    private func path(of id: String) -> String? {
        var parts: [String] = []
        var current: String? = id
        for _ in 0..<64 {
            guard let id = current, let object = objects[id] else { break }
            if let path = text(of: object, "path") { parts.insert(path, at: 0) }
            switch text(of: object, "sourceTree") {
            case "<absolute>": return parts.joined(separator: "/").standardizedPath
            case "SOURCE_ROOT": current = nil
            case "<group>", nil: current = groups[id]
            default: return nil
            }
        }
        return ([sourceRoot] + parts).joined(separator: "/").standardizedPath
    }

    // MARK: - Objects

    private func text(of node: PlistNode, _ key: String) -> String? { document[node, key]?.string }

    private func object(in node: PlistNode, _ key: String) -> PlistNode? {
        text(of: node, key).flatMap { objects[$0] }
    }

    private func objects(in node: PlistNode, _ key: String) -> [PlistNode] {
        document[node, key].map { document.children(of: $0).compactMap { objects[$0.text] } } ?? []
    }
}
