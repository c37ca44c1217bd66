// SPDX-License-Identifier: MIT

import Files
package import PropertyLists
package import SourceText

/// The targets of an Xcode project: the apps with the extensions that they embed, and the files from which each is
/// built.
///
/// The file `project.pbxproj` is an OpenStep property list: a table of objects that refer to each other by IDs. A
/// project that XcodeGen writes can also be read from its `project.yml`.
package struct XcodeProject: Sendable {
    /// The name of the file inside a `.xcodeproj`.
    package static let fileName = "project.pbxproj"

    /// A target that builds a bundle.
    package struct Target: Sendable {
        /// The kind of bundle that a target builds.
        package enum Kind: Sendable, Hashable {
            case application, appExtension, other
        }

        /// The name.
        package var name: String

        /// The kind of bundle.
        package var kind: Kind

        /// The system that it is built for; nil where the settings do not say.
        package var platform: Platform? {
            let names = configurations.compactMap { Platform($0.settings) }
            return names.contains(.iOS) ? .iOS : names.first
        }

        /// Whether campaigns may be for it: not for apps of a Mac, a watch or a TV.
        package var mayBeForPushes: Bool { platform.map { $0 == .iOS || $0 == .visionOS } ?? true }

        /// The place of the target in the project.
        package var place: SourcePlace

        /// The indices in ``XcodeProject/targets`` of the extensions that it embeds.
        package var embedded: [Int] = []

        /// An extension that it depends on or copies, and that is not in its bundle where the system finds extensions.
        package struct Unembedded: Sendable {
            /// The index in ``XcodeProject/targets`` of the extension.
            package var index: Int

            /// The destination to which it is copied; nil where it is not copied.
            package var destination: String?

            /// The place of the phase that copies it; else that of the target that depends on it.
            package var place: SourcePlace
        }

        /// The extensions that it names and does not embed.
        package fileprivate(set) var unembedded: [Unembedded] = []

        /// The first extensions that it embeds and that no target of the project builds, so that they are not known.
        package fileprivate(set) var embedsOthers: [String] = []

        /// The build settings for each configuration, in their order.
        package var configurations: [(name: String, settings: BuildSettings)]

        /// The absolute paths of its property lists, in any configuration.
        package fileprivate(set) var lists: Set<String> = []

        /// The name of the setting that gives a property list, by the absolute path of the list.
        package fileprivate(set) var settingsOfLists: [String: String] = [:]

        /// The absolute paths of property lists that a tool writes before the build, so that they may be missing.
        package var madeLists: Set<String> = []

        /// The settings in a configuration.
        package func settings(in configuration: String) -> BuildSettings? {
            configurations.first { $0.name == configuration }?.settings
        }
    }

    /// The folder that paths of the project are relative to.
    package let folder: String

    /// The targets, in the order of the project.
    package private(set) var targets: [Target] = []

    /// The default configuration, usually that of releases.
    package private(set) var defaultConfiguration: String?

    /// The findings about parts that are not read or not checked.
    package private(set) var diagnostics: [Diagnostic] = []

    /// The indices in ``targets`` of the apps.
    package private(set) var applications: [Int] = []

    /// The source files of the targets.
    package let sources: XcodeSources

    /// The absolute paths of the files that scripts and build rules of the targets make.
    package let scriptOutputs: Set<String>

    /// Reads a project; nil where the file is not a project.
    ///
    /// - Parameters:
    ///   - document: the file.
    ///   - folder: the folder that holds the `.xcodeproj`.
    ///   - shown: returns the path of a file for messages.
    ///   - names: returns the names in the folder at an absolute path; nil where it cannot be read.
    ///   - read: reads other files, such as `.xcconfig`.
    package init?(
        _ document: PlistDocument,
        folder: String,
        shown: @escaping (String) -> String = { $0 },
        names: @escaping (String) -> [String]? = { _ in nil },
        read: @escaping ProjectFileReader
    ) {
        let spelling = FileSpelling(names: names)
        let files = ConfigurationFileReader(read: read, spelling: spelling, shown: shown)
        guard !document.isBroken, var reader = XcodeProjectReader(document, folder: folder, files) else {
            return nil
        }
        self.folder = reader.sourceRoot
        sources = XcodeSources(document, root: reader.sourceRoot, spelling: spelling)
        defaultConfiguration = reader.defaultConfiguration
        targets = reader.targets()
        scriptOutputs = reader.scriptOutputs(of: targets, read: read)
        diagnostics = reader.diagnostics
        // The build settings of apps that campaigns are not for need not be known.
        if !targets.contains(where: { $0.kind != .other && $0.mayBeForPushes }) {
            diagnostics.removeAll { $0.rule == .missingFile && $0.severity == .info }
        }
        findLists(spelling, shown)
        findApplications()
    }

    /// Creates a project from its parts.
    init(
        folder: String,
        targets: [Target],
        defaultConfiguration: String?,
        diagnostics: [Diagnostic],
        sources: XcodeSources,
        spelling: FileSpelling,
        shown: (String) -> String
    ) {
        self.folder = folder
        self.targets = targets
        self.defaultConfiguration = defaultConfiguration
        self.diagnostics = diagnostics
        self.sources = sources
        scriptOutputs = []
        findLists(spelling, shown)
        findApplications()
    }

    /// The place of the first conflict that a merge has left in a project file; nil where there is none.
    package static func mergeConflict(in file: SourceFile) -> SourcePlace? {
        for number in 1...file.lineCount where file.line(number).starts(with: "<<<<<<< ".utf8) {
            let start = file.offset(ofLine: number)
            return SourcePlace(file, SourceRange(start, start + file.line(number).count))
        }
        return nil
    }

    /// The most build settings for one property list that are read.
    private static let useLimit = 256

    /// For the absolute path of each Info.plist and entitlements file: the configurations that use it, with their
    /// settings.
    package private(set) var uses: [String: [(configuration: String, settings: BuildSettings)]] = [:]

    /// The absolute paths of the Info.plists on which some configuration runs the C preprocessor.
    package var preprocessedLists: Set<String> {
        Set(
            uses.compactMap { path, uses in
                path.hasSuffix(".entitlements")
                    || !uses.contains { $0.settings.value(of: "INFOPLIST_PREPROCESS") == "YES" } ? nil : path
            }
        )
    }

    /// The paths on disk of the property lists that are named in another case, by the paths that the project names.
    private var spellings: [String: String] = [:]

    private mutating func findLists(_ spelling: FileSpelling, _ shown: (String) -> String) {
        var crowded: Set<String> = []
        var changes: Set<FileSpelling.Change> = []
        for index in targets.indices {
            for (name, settings) in targets[index].configurations {
                for setting in Self.listSettings {
                    for settings in Self.variants(of: settings, with: setting) {
                        guard case .path(let named)? = path(setting, in: settings) else { continue }
                        let path = spelling.path(named)
                        if path != named { spellings[named] = path }
                        for change in FileSpelling.changes(from: named, to: path)
                        where targets[index].kind != .other && changes.insert(change).inserted {
                            let message = ProjectMessage.otherCase(
                                setting, shown(change.named), shown(change.real), nil)
                            diagnostics.append(Diagnostic(message, at: targets[index].place))
                        }
                        targets[index].lists.insert(path)
                        targets[index].settingsOfLists[path] = setting
                        if uses[path, default: []].count < Self.useLimit {
                            uses[path, default: []].append((name, settings))
                        } else if crowded.insert(path).inserted {
                            diagnostics.append(Diagnostic(.tooManyUses(limit: Self.useLimit), at: targets[index].place))
                        }
                    }
                }
            }
        }
    }

    /// The settings of a target, and those for other SDKs with which a setting has another value.
    private static func variants(of settings: BuildSettings, with setting: String) -> [BuildSettings] {
        guard settings.isConditional(setting) else { return [settings] }
        var values = [settings.value(of: setting, isPath: true)]
        return [settings]
            + Platform.allCases.flatMap(\.sdks).map(settings.with(sdk:)).filter { variant in
                let value = variant.value(of: setting, isPath: true)
                defer { values.append(value) }
                return !values.contains(value)
            }
    }

    /// The most bundles: their number is that of the apps times configurations and extensions.
    private static let bundleLimit = 50_000

    private mutating func findApplications() {
        var bundleCount = 0
        for index in targets.indices where targets[index].kind == .application {
            bundleCount += targets[index].configurations.count * (1 + targets[index].embedded.count)
            guard bundleCount <= Self.bundleLimit else {
                diagnostics.append(Diagnostic(.tooManyBundles(limit: Self.bundleLimit), at: targets[index].place))
                break
            }
            applications.append(index)
        }
    }

    /// The settings that name property lists.
    private static let listSettings = ["INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS"]

    /// The path that a setting gives; unresolved where it contains a reference that cannot be replaced, nil where it is
    /// empty.
    package func path(_ setting: String, in settings: BuildSettings) -> PathSetting? {
        guard let value = settings.value(of: setting, isPath: true) else {
            // What a missing file may assign is reported with that file.
            return settings.isWhole && !settings.isKnown(setting) ? .unresolved("$(\(setting))") : nil
        }
        if value.isEmpty { return nil }
        if App.holdsBuildSetting(value) { return .unresolved(value) }
        let path = (value.hasPrefix("/") ? value : folder + "/" + value).standardizedPath
        return .path(spellings[path] ?? path)
    }

    /// A path that a build setting gives.
    package enum PathSetting: Sendable {
        case path(String)
        /// A text with references that cannot be replaced.
        case unresolved(String)
    }
}

/// Resolves the IDs in a project.
///
/// IDs may form cycles, and thousands of them may refer to one object. Every object is read once and cached. Products
/// such as targets times configurations are limited.
private struct XcodeProjectReader {
    private enum Limit {
        static let configurationsInList = 100
        static let configurations = 10_000
        static let links = 100_000
        static let embedded = 256
        static let outputs = 10_000
        /// The extensions of other projects that a finding names.
        static let named = 3
    }

    /// An object, with the node indices of the members that are needed.
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

    /// The findings about parts that are not read or not checked.
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
            let own = configurations(of: object)
            configurationCount += Swift.max(own.count, 1)
            guard configurationCount <= Limit.configurations else {
                found.append(Diagnostic(.tooManyTargets(limit: Limit.configurations), at: place(of: object)))
                break
            }
            targets.append(
                XcodeProject.Target(
                    name: text(of: object, "name") ?? "",
                    kind: kind(of: object),
                    place: place(of: object),
                    configurations: own.map { ($0.name, settings(of: object, in: $0, over: common[$0.name] ?? [])) }
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
            // A copied product that no target has may be that of a dependency.
            let isKnown = isApplication && links.isWhole && others.isEmpty
            var unembedded: [Int: XcodeProject.Target.Unembedded] = [:]
            for copy in links.misplaced {
                for other in extensions([copy.product]) {
                    guard isKnown, !links.mayBeCopiedByScript(targets[other].name) else {
                        embedded.insert(other)
                        continue
                    }
                    let place = document.place(copy.phase.node.openingRange)
                    unembedded[other] = .init(index: other, destination: copy.destination, place: place)
                }
            }
            for other in extensions(links.dependencies) where unembedded[other] == nil && !embedded.contains(other) {
                if isKnown, !links.mayBeCopiedByScript(targets[other].name) {
                    unembedded[other] = .init(index: other, destination: nil, place: targets[index].place)
                } else {
                    embedded.insert(other)
                }
            }
            targets[index].embedded = Array(embedded.sorted().prefix(Limit.embedded))
            targets[index].unembedded = unembedded.values.filter { !embedded.contains($0.index) }
                .sorted { $0.index < $1.index }
            if let first = others.first.flatMap({ objects[$0] }) {
                let names = others.prefix(Limit.named).compactMap { objects[$0].flatMap { text(of: $0, "path") } }
                targets[index].embedsOthers = names
                let message = ProjectMessage.foreignExtensions(targets[index].name, names, count: others.count)
                found.append(Diagnostic(message, at: document.place(first.node.openingRange)))
            }
            if embedded.count > Limit.embedded {
                found.append(Diagnostic(.tooManyEmbedded(limit: Limit.embedded), at: targets[index].place))
            }
        }
    }

    /// Whether an object is an app extension that was built.
    private func isExtension(_ id: String) -> Bool {
        objects[id].flatMap { text(of: $0, "path") }?.hasSuffix(".appex") ?? false
    }

    /// The products and targets that a target copies into its bundle or depends on, by their IDs.
    private struct Links {
        /// The products that are copied to where extensions belong, or to a folder that is not known.
        var copied: [String] = []

        /// The products that are copied to another folder.
        var misplaced: [(product: String, destination: String, phase: Object)] = []

        /// The targets that it depends on.
        var dependencies: [String] = []

        /// The texts of its scripts in lower case, with the paths of their files.
        var scripts: [String] = []

        /// Whether a script calls another script of the project, which may copy anything.
        var callsScript = false

        /// Whether all of its phases and of the files that they copy are in the project.
        var isWhole = true

        /// Whether a script seems to copy an extension.
        func mayBeCopiedByScript(_ target: String) -> Bool {
            let words = ["appex", "plugins", target.lowercased()]
            return callsScript || scripts.contains { script in words.contains { script.contains($0) } }
        }
    }

    private mutating func links(of target: Object) -> Links {
        var links = Links()
        links.isWhole = isWhole(target, "buildPhases")
        for phase in objects(in: target, "buildPhases") {
            switch text(of: phase, "isa") {
            case "PBXCopyFilesBuildPhase":
                let copies = copies(of: phase)
                links.isWhole = links.isWhole && isWhole(phase, "files") && copies.allSatisfy { objects[$0] != nil }
                if let destination = otherDestination(of: phase) {
                    links.misplaced += copies.map { ($0, destination, phase) }
                } else {
                    links.copied += copies
                }
                if links.copied.count + links.misplaced.count > Limit.links { return links }
            case "PBXShellScriptBuildPhase":
                let paths = texts(of: phase, "inputPaths") + texts(of: phase, "outputPaths")
                let script = text(of: phase, "shellScript") ?? ""
                links.callsScript = links.callsScript || Self.callsScript(script)
                links.scripts += ([script] + paths).map { $0.lowercased() }
            default: break
            }
        }
        links.dependencies = objects(in: target, "dependencies").compactMap { text(of: $0, "target") }
        return links
    }

    /// The ends of the names of scripts.
    private static let scriptEnds = [".sh", ".bash", ".zsh", ".command", ".rb", ".py", ".pl", ".js", ".swift"]

    /// Parts of the paths of package managers and frameworks, whose scripts copy no extensions of the project.
    private static let packageFolders: Set = ["pods", "pods_root", "node_modules", "flutter_root", "sourcepackages"]

    /// Whether the script of a phase seems to call a file of the project: one with the name of a script, or one at a
    /// path that is not that of a tool of the system.
    private static func callsScript(_ script: String) -> Bool {
        let script = script.lowercased()
        let lines = script.split(whereSeparator: \.isNewline).filter { !String($0).trimmed.hasPrefix("#") }
        return lines.flatMap { $0.split { ";&|".contains($0) } }.contains { command in
            let words = command.split { $0.isWhitespace || "\"'=".contains($0) }
            return words.enumerated().contains { index, word in
                let parts = word.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
                guard packageFolders.isDisjoint(with: parts) else { return false }
                return scriptEnds.contains { word.hasSuffix($0) }
                    || index == 0 && word.contains("/") && !word.hasPrefix("/")
            }
        }
    }

    /// Whether all objects in a list are in the project.
    private func isWhole(_ object: Object, _ key: String) -> Bool {
        texts(of: object, key).allSatisfy { objects[$0] != nil }
    }

    /// The destination of a copy phase where the system finds no extensions; nil for `PlugIns`, and where the folder is
    /// not known.
    private func otherDestination(of phase: Object) -> String? {
        let path = text(of: phase, "dstPath") ?? ""
        guard !path.lowercased().contains("plugins"), !App.holdsBuildSetting(path) else { return nil }
        // Newer projects name the folder instead of its number.
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

    /// The absolute path that a text means; nil where it holds a build setting that is not known.
    private func path(_ text: String, _ settings: BuildSettings) -> String? {
        let path = settings.expand(text)
        guard !path.isEmpty, !App.holdsBuildSetting(path) else { return nil }
        return (path.hasPrefix("/") ? path : sourceRoot + "/" + path).standardizedPath
    }

    private func texts(of object: Object, _ key: String) -> [String] {
        object.members[key].map { nodes[$0].children.map { nodes[$0].text } } ?? []
    }

    /// The lines of a list of files, without comments.
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

    /// A configuration of the project or of a target, with the layers of its settings from the strongest.
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

    /// The name of the `.xcodeproj`.
    private var projectName: String {
        let name = document.file.path.folder.fileName
        return name.hasSuffix(".xcodeproj") ? String(name.dropLast(".xcodeproj".count)) : name
    }

    private func settings(
        of target: Object,
        in own: Configuration,
        over common: [BuildSettings.Layer]
    ) -> BuildSettings {
        let name = text(of: target, "name") ?? ""
        let fixed = BuildSettings.Layer.ofTarget(name, own.name, project: projectName, folder: sourceRoot)
        let settings = BuildSettings([fixed] + own.layers + common + [.ofXcode], configuration: own.name)
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

    /// The path of a file or a group; nil where it is relative to an unknown folder.
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

    /// The objects in a list, each once.
    private func objects(in object: Object, _ key: String) -> [Object] {
        guard let list = object.members[key] else { return [] }
        var known: Set<String> = []
        return nodes[list].children.compactMap { child in
            known.insert(nodes[child].text).inserted ? objects[nodes[child].text] : nil
        }
    }
}
