// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PlistDocuments

/// Reads the targets of an Xcode project by following the IDs of its objects.
///
/// IDs may form cycles, and thousands of them may refer to one object. Every object is read once and cached. Numbers
/// that multiply, such as targets times configurations, are limited.
struct XcodeProjectReader {
    private enum Limit {
        static let configurationsInList = 100
        static let configurations = 10_000
        static let links = 100_000
        static let embedded = 256
        static let outputs = 10_000
    }

    /// An object of the project file, with the indices of those of its members that are needed.
    private struct Object {
        var id: String
        var node: PlistNode
        var members: [String: Int] = [:]
    }

    private static let members: Set<String> = [
        "baseConfigurationReference", "baseConfigurationReferenceAnchor", "baseConfigurationReferenceRelativePath",
        "buildConfigurationList", "buildConfigurations", "buildPhases", "buildSettings", "children",
        "defaultConfigurationName", "dependencies", "dstPath", "dstSubfolder", "dstSubfolderSpec", "fileRef", "files",
        "inputPaths", "isa", "name", "path", "productReference", "buildRules", "outputFileListPaths", "outputFiles",
        "outputPaths", "productType", "projectDirPath", "shellScript", "sourceTree", "target", "targets",
    ]

    let document: PlistDocument
    let sourceRoot: String
    private let nodes: [PlistNode]
    private let objects: [String: Object]
    private let project: Object
    /// The ID of the group that contains an object, by the object's ID.
    private let groups: [String: String]
    private var files: ConfigurationFileReader
    private var configurationsByID: [String: Configuration] = [:]
    private var configurationsByList: [String: [Configuration]] = [:]
    private var copiesByPhase: [String: [String]] = [:]
    private var found: [Diagnostic] = []

    init?(_ document: PlistDocument, folder: String, _ files: ConfigurationFileReader) {
        guard let table = document["objects"], let root = document["rootObject"]?.string else { return nil }
        let nodes = document.allNodes
        var objects: [String: Object] = [:]
        var groups: [String: String] = [:]
        for index in table.children {
            guard let id = nodes[index].key?.text else { continue }
            var object = Object(id: id, node: nodes[index])
            for child in nodes[index].children {
                if let key = nodes[child].key?.text, Self.members.contains(key) { object.members[key] = child }
            }
            objects[id] = object
            guard let children = object.members["children"] else { continue }
            for child in nodes[children].children { groups[nodes[child].text] = id }
        }
        guard let project = objects[root] else { return nil }
        self.document = document
        self.nodes = nodes
        self.objects = objects
        self.groups = groups
        self.project = project
        self.files = files
        let inner = project.members["projectDirPath"].flatMap { nodes[$0].string } ?? ""
        sourceRoot = inner.isEmpty ? folder : (folder + "/" + inner).standardizedPath
        self.files.sourceRoot = sourceRoot
    }

    /// The findings about parts of the project that are not read or not checked.
    var diagnostics: [Diagnostic] { found + files.diagnostics }

    var defaultConfiguration: String? {
        object(in: project, "buildConfigurationList").flatMap { text(of: $0, "defaultConfigurationName") }
    }

    mutating func targets() -> [XcodeProject.Target] {
        let candidates = objects(in: project, "targets").filter { text(of: $0, "isa") == "PBXNativeTarget" }
        let common = Dictionary(
            configurations(of: project).map { ($0.name, $0.layers) },
            uniquingKeysWith: { first, _ in first }
        )
        var targets: [XcodeProject.Target] = []
        var configurationCount = 0
        for object in candidates {
            let targetConfigurations = configurations(of: object)
            configurationCount += Swift.max(targetConfigurations.count, 1)
            guard configurationCount <= Limit.configurations else {
                found.append(Diagnostic(.tooManyTargets(limit: Limit.configurations), at: place(of: object)))
                break
            }
            targets.append(
                XcodeProject.Target(
                    name: text(of: object, "name") ?? "",
                    kind: kind(of: object),
                    place: place(of: object),
                    configurations: targetConfigurations.map {
                        ($0.name, settings(of: object, in: $0, over: common[$0.name] ?? []))
                    }
                )
            )
        }
        link(&targets, of: candidates)
        return targets
    }

    private func place(of object: Object) -> SourcePlace {
        document.place(object.members["name"].map { nodes[$0].range } ?? object.node.openingRange)
    }

    private func kind(of target: Object) -> XcodeProject.Target.Kind {
        switch text(of: target, "productType") {
        case "com.apple.product-type.application": .application
        case "com.apple.product-type.app-extension": .appExtension
        default: .other
        }
    }

    // MARK: - What targets embed

    private mutating func link(_ targets: inout [XcodeProject.Target], of candidates: [Object]) {
        var byID: [String: Int] = [:]
        for index in targets.indices {
            byID[candidates[index].id] = index
            if let product = text(of: candidates[index], "productReference") { byID[product] = index }
        }
        var linkCount = 0
        for index in targets.indices {
            let links = links(of: candidates[index])
            linkCount += links.copied.count + links.misplaced.count + links.dependencies.count
            guard linkCount <= Limit.links else {
                found.append(Diagnostic(.tooManyLinks(limit: Limit.links), at: targets[index].place))
                return
            }
            let isApplication = targets[index].kind == .application
            let others = isApplication ? links.copied.filter { byID[$0] == nil && isExtension($0) } : []
            func extensions(_ ids: [String]) -> [Int] {
                ids.compactMap { byID[$0] }.filter { targets[$0].kind == .appExtension }
            }
            var embedded = Set(extensions(links.copied))
            // If the app copies an extension that no known target builds, that extension may be one of the
            // dependencies, so none of them is reported as not embedded.
            let isKnown = isApplication && links.isComplete && others.isEmpty
            var unembedded: [Int: XcodeProject.Target.Unembedded] = [:]
            for copy in links.misplaced {
                for other in extensions([copy.product]) {
                    guard isKnown, !links.scripts.mayCopy(targets[other].name) else {
                        embedded.insert(other)
                        continue
                    }
                    let place = document.place(copy.phase.node.openingRange)
                    unembedded[other] = .init(index: other, reason: .copied(to: copy.destination), place: place)
                }
            }
            for other in extensions(links.dependencies) where unembedded[other] == nil && !embedded.contains(other) {
                if isKnown, !links.scripts.mayCopy(targets[other].name) {
                    unembedded[other] = .init(index: other, reason: .notCopied, place: targets[index].place)
                } else {
                    embedded.insert(other)
                }
            }
            targets[index].embedded = Array(embedded.sorted().prefix(Limit.embedded))
            targets[index].unembedded = unembedded.values.filter { !embedded.contains($0.index) }
                .sorted { $0.index < $1.index }
            if let first = others.first.flatMap({ objects[$0] }) {
                let names = others.compactMap { objects[$0].flatMap { text(of: $0, "path") } }
                targets[index].embedsOthers = names
                let message = ProjectMessage.foreignExtensions(targets[index].name, names, count: others.count)
                found.append(Diagnostic(message, at: document.place(first.node.openingRange)))
            }
            if embedded.count > Limit.embedded {
                found.append(Diagnostic(.tooManyEmbedded(limit: Limit.embedded), at: targets[index].place))
            }
        }
    }

    /// Whether an object is the built product of an app extension.
    private func isExtension(_ id: String) -> Bool {
        objects[id].flatMap { text(of: $0, "path") }?.hasSuffix(".appex") ?? false
    }

    /// What a target copies into its bundle and depends on; products and targets are given by their IDs.
    private struct Links {
        /// The products that are copied to the folder for extensions, or to an unknown folder.
        var copied: [String] = []

        /// The products that are copied to a folder that is not for extensions, with that folder and the build phase.
        var misplaced: [(product: String, destination: String, phase: Object)] = []

        /// The targets on which the target depends.
        var dependencies: [String] = []

        /// The scripts that run when the target is built.
        var scripts = BuildScripts()

        /// Whether the project file has all of the target's build phases and all files that they copy.
        var isComplete = true
    }

    private mutating func links(of target: Object) -> Links {
        var links = Links()
        links.isComplete = hasAllObjects(target, "buildPhases")
        for phase in objects(in: target, "buildPhases") {
            switch text(of: phase, "isa") {
            case "PBXCopyFilesBuildPhase":
                let copies = copies(of: phase)
                links.isComplete =
                    links.isComplete && hasAllObjects(phase, "files") && copies.allSatisfy { objects[$0] != nil }
                if let destination = otherDestination(of: phase) {
                    links.misplaced += copies.map { ($0, destination, phase) }
                } else {
                    links.copied += copies
                }
                if links.copied.count + links.misplaced.count > Limit.links { return links }
            case "PBXShellScriptBuildPhase":
                let paths = texts(of: phase, "inputPaths") + texts(of: phase, "outputPaths")
                links.scripts.add(text(of: phase, "shellScript") ?? "", paths: paths)
            default: break
            }
        }
        links.dependencies = objects(in: target, "dependencies").compactMap { text(of: $0, "target") }
        return links
    }

    /// Whether the project file has all objects to which a list refers by their IDs.
    private func hasAllObjects(_ object: Object, _ key: String) -> Bool {
        texts(of: object, key).allSatisfy { objects[$0] != nil }
    }

    /// The destination of a copy phase, if the system does not look for extensions there; nil for `PlugIns` and for a
    /// folder that is not known.
    private func otherDestination(of phase: Object) -> String? {
        let path = text(of: phase, "dstPath") ?? ""
        guard !path.lowercased().holds("plugins"), !App.holdsBuildSetting(path) else { return nil }
        // Newer projects give the folder by its name, older ones by a number.
        switch text(of: phase, "dstSubfolder") ?? text(of: phase, "dstSubfolderSpec") {
        case "6", "Executables": return "Executables"
        case "7", "Resources": return "Resources"
        case "10", "Frameworks": return "Frameworks"
        case "11", "SharedFrameworks": return "Shared Frameworks"
        case "12", "SharedSupport": return "Shared Support"
        case "15", "JavaResources": return "Java Resources"
        default: return nil
        }
    }

    /// The absolute paths of the files that the scripts and build rules of the targets list as their outputs, in all
    /// configurations.
    ///
    /// - Parameters:
    ///   - targets: the targets.
    ///   - read: reads a list of files, `.xcfilelist`, with a path in each line.
    /// - Returns: the paths, as far as their build settings are known.
    func scriptOutputs(of targets: [XcodeProject.Target], read: ProjectFileReader) -> Set<String> {
        var paths: Set<String> = []
        var lists: [String: [String]] = [:]
        var count = 0
        let settings = Dictionary(targets.map { ($0.name, $0.configurations) }, uniquingKeysWith: { first, _ in first })
        for target in objects(in: project, "targets") {
            let configurations = text(of: target, "name").flatMap { settings[$0] } ?? []
            let makers = objects(in: target, "buildPhases") + objects(in: target, "buildRules")
            for (_, settings) in configurations {
                for maker in makers {
                    var outputs = texts(of: maker, "outputPaths") + texts(of: maker, "outputFiles")
                    for list in texts(of: maker, "outputFileListPaths") {
                        guard let path = path(list, settings) else { continue }
                        let lines = lists[path] ?? Self.lines(of: try? read(path))
                        lists[path] = lines
                        outputs += lines
                    }
                    for output in outputs {
                        count += 1
                        guard count <= Limit.outputs else { return paths }
                        if let path = path(output, settings) { paths.insert(path) }
                    }
                }
            }
        }
        return paths
    }

    /// The absolute path that a text with build settings means; nil if it is empty, or if a setting is not known.
    private func path(_ text: String, _ settings: BuildSettings) -> String? {
        let path = settings.expand(text)
        guard !path.isEmpty, !App.holdsBuildSetting(path) else { return nil }
        return (path.hasPrefix("/") ? path : sourceRoot + "/" + path).standardizedPath
    }

    private func texts(of object: Object, _ key: String) -> [String] {
        object.members[key].map { nodes[$0].children.map { nodes[$0].text } } ?? []
    }

    /// The lines of an `.xcfilelist`, a list of files, without comments.
    private static func lines(of file: SourceFile?) -> [String] {
        guard let file else { return [] }
        let lines = String(decoding: file.utf8, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.prefix(Limit.outputs).map { String($0).trimmed }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    private mutating func copies(of phase: Object) -> [String] {
        if let known = copiesByPhase[phase.id] { return known }
        let copies = objects(in: phase, "files").compactMap { text(of: $0, "fileRef") }
        copiesByPhase[phase.id] = copies
        return copies
    }

    // MARK: - Settings

    /// A build configuration of the project or of a target, with the layers of its settings, the strongest first.
    private struct Configuration {
        var name: String
        var layers: [BuildSettings.Layer]
    }

    private mutating func configurations(of owner: Object) -> [Configuration] {
        guard let list = object(in: owner, "buildConfigurationList") else { return [] }
        if let known = configurationsByList[list.id] { return known }
        let listed = objects(in: list, "buildConfigurations")
        if listed.count > Limit.configurationsInList {
            let place = document.place(listed[Limit.configurationsInList].node.openingRange)
            found.append(Diagnostic(.tooManyConfigurations(limit: Limit.configurationsInList), at: place))
        }
        var configurations: [Configuration] = []
        for object in listed.prefix(Limit.configurationsInList) { configurations.append(configuration(object)) }
        configurationsByList[list.id] = configurations
        return configurations
    }

    private mutating func configuration(_ object: Object) -> Configuration {
        if let known = configurationsByID[object.id] { return known }
        var layers = [layer(of: object)]
        if let path = configurationFile(of: object) {
            let named =
                object.members["baseConfigurationReference"]
                ?? object.members["baseConfigurationReferenceRelativePath"]
            let place = document.place(named.map { nodes[$0].range } ?? object.node.openingRange)
            layers.append(files.layer(at: path, namedAt: place))
        }
        let configuration = Configuration(name: text(of: object, "name") ?? "", layers: layers)
        configurationsByID[object.id] = configuration
        return configuration
    }

    /// The name of the `.xcodeproj`, without the extension.
    private var projectName: String {
        let name = document.file.path.folder.fileName
        return name.hasSuffix(".xcodeproj") ? String(name.dropLast(".xcodeproj".count)) : name
    }

    private func settings(
        of target: Object,
        in configuration: Configuration,
        over common: [BuildSettings.Layer]
    ) -> BuildSettings {
        let name = text(of: target, "name") ?? ""
        let fixed = BuildSettings.Layer.ofTarget(name, configuration.name, project: projectName, folder: sourceRoot)
        let settings = BuildSettings(
            [fixed] + configuration.layers + common + [.ofXcode], configuration: configuration.name)
        return settings.withOwnSDK
    }

    private func layer(of configuration: Object) -> BuildSettings.Layer {
        guard let settings = configuration.members["buildSettings"] else { return BuildSettings.Layer() }
        var table: [String: String] = [:]
        for node in nodes[settings].children.map({ nodes[$0] }) {
            guard let key = node.key?.text else { continue }
            table[key] =
                node.kind == .array ? node.children.map { nodes[$0].text }.joined(separator: " ") : node.text
        }
        return .table(table)
    }

    // MARK: - Paths

    private func configurationFile(of configuration: Object) -> String? {
        if let id = text(of: configuration, "baseConfigurationReference") { return path(of: id) }
        guard let anchor = text(of: configuration, "baseConfigurationReferenceAnchor"),
            let relative = text(of: configuration, "baseConfigurationReferenceRelativePath")
        else { return nil }
        return path(of: anchor).map { ($0 + "/" + relative).standardizedPath }
    }

    /// The absolute path of a file or a group; nil if it is relative to an unknown folder.
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

    private func text(of object: Object, _ key: String) -> String? { object.members[key].flatMap { nodes[$0].string } }

    private func object(in object: Object, _ key: String) -> Object? {
        text(of: object, key).flatMap { objects[$0] }
    }

    /// The objects to which a list refers, each once.
    private func objects(in object: Object, _ key: String) -> [Object] {
        guard let list = object.members[key] else { return [] }
        var known: Set<String> = []
        return nodes[list].children.compactMap { child in
            known.insert(nodes[child].text).inserted ? objects[nodes[child].text] : nil
        }
    }
}
