// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
package import POSIXFiles
import PlistDocuments

extension XcodeProject {
    /// The name of the file from which XcodeGen writes an Xcode project.
    package static let specFileName = "project.yml"

    /// Reads an Xcode project, or the one that XcodeGen would write.
    ///
    /// - Parameters:
    ///   - file: the file `project.pbxproj` or `project.yml`.
    ///   - path: the absolute path of the file.
    ///   - root: the root of the project, outside which nothing is read.
    ///   - shown: returns the path of a file for messages.
    ///   - read: reads other files.
    /// - Returns: the project, and the findings about it. There is no project if the file is not a project, if a
    ///   `project.yml` belongs to another program, or if an Xcode project is beside a `project.yml`.
    package static func reading(
        _ file: SourceFile,
        at path: String,
        in root: ProjectRoot,
        shown: @escaping (String) -> String,
        read: @escaping ProjectFileReader
    ) -> (project: XcodeProject?, findings: [Diagnostic]) {
        if path.fileName == specFileName {
            do throws(InputError) {
                let project = try generated(from: file, at: path, in: root, shown: shown, read: read)
                return (project, project?.diagnostics ?? [])
            } catch {
                return (nil, error.diagnostics)
            }
        }
        let document = PlistDocument(file)
        let folder = path.folder.folder
        let project = XcodeProject(
            document, folder: folder.isEmpty ? "/" : folder, shown: shown, names: root.names, read: read)
        if let project { return (project, project.diagnostics) }
        let conflict = file.mergeConflict
        let faults = document.diagnostics.filter { $0.severity == .error }
        let place = conflict ?? faults.first?.place ?? SourcePlace(wholeFile: file)
        let reason = conflict == nil ? nil : "it has a merge conflict here"
        return (nil, (conflict == nil ? faults.prefix(1) : []) + [Diagnostic(.notAProject(reason), at: place)])
    }

    /// Reads the targets that XcodeGen would write into an Xcode project.
    ///
    /// - Parameters:
    ///   - file: the file `project.yml`.
    ///   - path: the absolute path of the file.
    ///   - root: the root of the project, outside which nothing is searched.
    ///   - shown: returns the path of a file for messages.
    ///   - read: reads other files.
    /// - Returns: the project; nil if the file is not XcodeGen's, or if an Xcode project is beside it.
    /// - Throws: the faults of a file that cannot be read.
    static func generated(
        from file: SourceFile,
        at path: String,
        in root: ProjectRoot,
        shown: @escaping (String) -> String = { $0 },
        read: @escaping ProjectFileReader
    ) throws(InputError) -> XcodeProject? {
        var walk = FolderWalk(
            isWanted: { $0 == XcodeProject.fileName },
            isExcluded: { $0.folder == path.folder && !$0.hasSuffix(".xcodeproj") },
            entryLimit: 10_000
        )
        let spelling = FileSpelling(names: root.names)
        guard walk.files(under: path.folder)?.isEmpty ?? true,
            let spec = try ProjectSpec(file, at: path, spelling: spelling, shown: shown, read: read)
        else { return nil }
        var files = ConfigurationFileReader(read: read, spelling: spelling, shown: shown)
        files.sourceRoot = path.folder
        var reader = ProjectSpecReader(spec, file, folder: path.folder, root, files, shown: shown)
        let targets = reader.targets()
        return XcodeProject(
            folder: path.folder,
            targets: targets,
            defaultConfiguration: reader.defaultConfiguration,
            diagnostics: reader.diagnostics,
            sources: XcodeSources(
                targets: reader.sources,
                packages: reader.packages,
                hasRemotePackages: reader.hasRemotePackages
            ),
            spelling: spelling,
            shown: shown
        )
    }
}

/// Builds the targets that a `project.yml` describes.
private struct ProjectSpecReader {
    typealias Value = ProjectSpec.Value

    /// A target for one platform, with its description in the `project.yml`.
    private struct Entry {
        var key: String
        var name: String
        var platform: String?
        var table: [String: Value]
    }

    private enum Limit {
        static let configurations = 100
        static let groupDepth = 32
        static let settings = 1_000_000
    }

    /// The name of a group of settings, and the configuration in which it is read.
    private struct GroupKey: Hashable {
        var group: String
        var configuration: String
    }

    private let spec: ProjectSpec
    private let file: SourceFile
    private let folder: String
    private let root: ProjectRoot
    private let shown: (String) -> String
    private var files: ConfigurationFileReader

    /// The build configurations, each with its type, `debug` or `release`.
    private let configurations: [(name: String, type: String)]

    /// The settings of the groups that were read, so that each group is read once for each configuration.
    ///
    /// The settings of a group that is still being read are empty, so that reading a group that includes itself ends.
    private var groups: [GroupKey: [String: String]] = [:]
    private var settingCount = 0
    private var isTooDeep = false
    private var limitFindings: [Diagnostic] = []

    /// The source files of the targets, by the names of the targets.
    private(set) var sources: [String: XcodeSources.Target] = [:]

    init(
        _ spec: ProjectSpec,
        _ file: SourceFile,
        folder: String,
        _ root: ProjectRoot,
        _ files: ConfigurationFileReader,
        shown: @escaping (String) -> String
    ) {
        self.spec = spec
        self.file = file
        self.folder = folder
        self.root = root
        self.shown = shown
        self.files = files
        let named = spec.root["configs"]?.table?.map { (name: $0.key, type: $0.value.text ?? "") } ?? []
        let all = named.isEmpty ? [("Debug", "debug"), ("Release", "release")] : named.sorted { $0.name < $1.name }
        configurations = Array(all.prefix(Limit.configurations))
        if configurations.count < all.count {
            let place = SourcePlace(wholeFile: file)
            limitFindings = [Diagnostic(.tooManyConfigurations(limit: Limit.configurations), at: place)]
        }
    }

    var diagnostics: [Diagnostic] { spec.diagnostics + files.diagnostics + limitFindings }

    /// The folders of local packages.
    var packages: [String] {
        let named = spec.root["packages"]?.table?.values.compactMap { $0["path"]?.text } ?? []
        return (named + (spec.root["localPackages"]?.texts ?? [])).map(\.standardizedPath).sorted()
    }

    var hasRemotePackages: Bool {
        spec.root["packages"]?.table?.values.contains { $0["path"] == nil } ?? false
    }

    // MARK: - Configurations

    var defaultConfiguration: String? {
        if let named = spec.root["options"]?["defaultConfig"]?.text { return named }
        // XcodeGen takes the first configuration of the type `release`, such as `Alpha`; users usually get the one
        // named `Release`, so that name comes first here.
        let released = configurations.filter { $0.type == "release" }.map(\.name)
        return released.first { $0 == "Release" } ?? released.first
    }

    // MARK: - Targets

    mutating func targets() -> [XcodeProject.Target] {
        let entries = self.entries
        var targets: [XcodeProject.Target] = []
        for entry in entries {
            sources[entry.name] = sources(of: entry)
            let place = spec.places[entry.key] ?? SourcePlace(wholeFile: file)
            var target = XcodeProject.Target(
                name: entry.name,
                kind: kind(of: entry),
                place: place,
                configurations: configurations.map { ($0.name, settings(of: entry, in: $0.name, at: place)) }
            )
            for (name, standard) in [("info", Self.standardKeys), ("entitlements", [:])] {
                guard let list = entry.table[name], let properties = list["properties"]?.table,
                    let path = list["path"]?.text?.standardizedPath
                else { continue }
                let file = SourceFile(path: shown(path), text: Self.xml(standard.merging(properties) { $1 }))
                target.madeLists[path] = BundlePlist(PlistDocument(file))
            }
            targets.append(target)
        }
        for index in targets.indices {
            let dependencies = (entries[index].table["dependencies"]?.elements ?? []).compactMap { dependency in
                extensionIndex(of: dependency, entries, targets).map { index in
                    (index: index, isOff: dependency["embed"]?.text == "false")
                }
            }
            let scripts = scripts(of: entries[index])
            for (other, isOff) in dependencies where !targets[index].embedded.contains(other) {
                let isApplication = targets[index].kind == .application
                if !isOff || isApplication && scripts.mayCopy(targets[other].name) {
                    targets[index].embedded.append(other)
                } else if isApplication {
                    let place = targets[index].place
                    targets[index].unembedded.append(.init(index: other, reason: .turnedOff, place: place))
                }
            }
            let embedded = targets[index].embedded
            targets[index].unembedded.removeAll { embedded.contains($0.index) }
        }
        return targets
    }

    /// The keys that XcodeGen adds to each Info.plist that it writes.
    ///
    /// Source: XcodeGen, `InfoPlistGenerator.swift`.
    private static let standardKeys: [String: Value] = [
        BundleKey.bundleIdentifier: .text("$(PRODUCT_BUNDLE_IDENTIFIER)"), BundleKey.name: .text("$(PRODUCT_NAME)"),
        BundleKey.shortVersion: .text("1.0"), BundleKey.version: .text("1"),
    ]

    /// The XML of the property list that XcodeGen would write.
    ///
    /// Places in this XML are only roughly those in the file that XcodeGen writes.
    private static func xml(_ properties: [String: Value]) -> String {
        func escaped(_ text: String) -> String {
            text.parts(between: "&").joined(separator: "&amp;").parts(between: "<").joined(separator: "&lt;")
        }
        func element(_ value: Value, of key: String) -> String {
            switch value {
            case .text(let text) where text == "true" || text == "false": "<\(text)/>"
            case .text(let text) where key == BundleKey.ratio: "<real>\(escaped(text))</real>"
            case .text(let text): "<string>\(escaped(text))</string>"
            case .list(let elements):
                "<array>\n" + elements.map { element($0, of: "") + "\n" }.joined() + "</array>"
            case .table(let table): dictionary(table)
            }
        }
        func dictionary(_ table: [String: Value]) -> String {
            let members = table.sorted { $0.key < $1.key }.map { key, value in
                "<key>\(escaped(key))</key>\n\(element(value, of: key))\n"
            }
            return "<dict>\n" + members.joined() + "</dict>"
        }
        let head = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        return head + dictionary(properties) + "\n</plist>\n"
    }

    /// The index of the extension that a dependency names; nil if the dependency is not an extension of the project.
    private func extensionIndex(of dependency: Value, _ entries: [Entry], _ targets: [XcodeProject.Target]) -> Int? {
        guard let name = dependency["target"]?.text,
            let other = entries.firstIndex(where: { $0.key == name || $0.name == name }),
            targets[other].kind == .appExtension
        else { return nil }
        return other
    }

    /// The scripts that run when a target is built.
    ///
    /// A script in a separate file is read as a call of that file.
    private func scripts(of entry: Entry) -> BuildScripts {
        var scripts = BuildScripts()
        let keys = ["preBuildScripts", "prebuildScripts", "postCompileScripts", "postBuildScripts", "postbuildScripts"]
        for key in keys {
            for script in entry.table[key]?.elements ?? [] {
                let paths = ["inputFiles", "outputFiles"].flatMap { script[$0]?.texts ?? [] }
                scripts.add(script["script"]?.text ?? "./" + (script["path"]?.text?.fileName ?? ""), paths: paths)
            }
        }
        return scripts
    }

    /// The targets of the file; a target for several platforms is listed once for each.
    private var entries: [Entry] {
        (spec.root["targets"]?.table ?? [:]).sorted { $0.key < $1.key }.flatMap { key, value -> [Entry] in
            guard let table = value.table else { return [] }
            let name = table["name"]?.text ?? key
            guard let platforms = table["platform"]?.elements?.compactMap(\.text) else {
                let destinations = table["supportedDestinations"]?.texts ?? []
                let platform = table["platform"]?.text ?? (destinations.contains("iOS") ? "iOS" : destinations.first)
                let isForAll = platform == "auto" && destinations.contains("iOS")
                return [Entry(key: key, name: name, platform: isForAll ? "iOS" : platform, table: table)]
            }
            return Platform.allCases.map(\.rawValue).filter(platforms.contains).map { platform in
                let prefix = table["platformPrefix"]?.text ?? ""
                let suffix = table["platformSuffix"]?.text ?? "_" + platform
                var references = ProjectSpec.References(values: ["platform": platform], byteLimit: .max)
                return Entry(
                    key: key,
                    name: prefix + name + suffix,
                    platform: platform,
                    table: table.mapValues { references.replaced(in: $0) }
                )
            }
        }
    }

    private func kind(of entry: Entry) -> XcodeProject.Target.Kind {
        switch entry.table["type"]?.text {
        case "application": .application
        case "app-extension": .appExtension
        default: .other
        }
    }

    // MARK: - Settings

    private mutating func settings(of entry: Entry, in configuration: String, at place: SourcePlace) -> BuildSettings {
        var targetTable = table(entry.table["settings"], configuration, place)
        var common = table(spec.root["settings"], configuration, place)
        var presets: [String: String] = [:]
        if let platform = entry.platform.flatMap(Platform.init(rawValue:)) {
            presets["SDKROOT"] = platform.sdk
            let setting = platform.deploymentTarget
            let target = entry.table["deploymentTarget"]
            let version = target?.text ?? target?[platform.rawValue]?.text
            if let version, targetTable[setting] == nil { targetTable[setting] = version }
            let shared = spec.root["options"]?["deploymentTarget"]?[platform.rawValue]?.text
            if let shared, common[setting] == nil { common[setting] = shared }
        }
        if let prefix = spec.root["options"]?["bundleIdPrefix"]?.text {
            let name = entry.name.unicodeScalars.map { $0 == "_" ? "-" : $0 }
                .filter { $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-" || $0 == "." }
            presets["PRODUCT_BUNDLE_IDENTIFIER"] = prefix + "." + String(String.UnicodeScalarView(name))
        }
        if targetTable["INFOPLIST_FILE"] == nil { targetTable["INFOPLIST_FILE"] = entry.table["info"]?["path"]?.text }
        if let path = entry.table["entitlements"]?["path"]?.text { targetTable["CODE_SIGN_ENTITLEMENTS"] = path }
        let layers =
            [.table(targetTable)] + layer(entry.table["configFiles"], configuration, place)
            + [.table(common)] + layer(spec.root["configFiles"], configuration, place)
        let fixed = BuildSettings.Layer.ofTarget(
            entry.name, configuration, project: spec.root["name"]?.text ?? "", folder: folder)
        let rest = layers.dropFirst() + [.table(presets), .ofXcode]
        let settings = BuildSettings([fixed] + layers.prefix(1) + rest, configuration: configuration).withOwnSDK
        guard kind(of: entry) != .other, settings.value(of: "INFOPLIST_FILE", isPath: true) == nil,
            let list = infoPlist(of: entry)
        else { return settings }
        targetTable["INFOPLIST_FILE"] = list
        return BuildSettings([fixed, .table(targetTable)] + rest, configuration: configuration).withOwnSDK
    }

    private mutating func layer(
        _ configFiles: Value?,
        _ configuration: String,
        _ place: SourcePlace
    ) -> [BuildSettings.Layer] {
        guard let path = configFiles?[configuration]?.text?.standardizedPath else { return [] }
        return [files.layer(at: path, namedAt: place)]
    }

    /// The settings that a value of `settings` assigns in a configuration.
    ///
    /// - Parameters:
    ///   - value: the value of `settings`, or of a group of settings.
    ///   - configuration: the name of the configuration.
    ///   - place: the target, for findings about limits.
    ///   - depth: the number of setting groups and configurations around the value.
    /// - Returns: the values of the settings, by their names.
    private mutating func table(
        _ value: Value?,
        _ configuration: String,
        _ place: SourcePlace,
        depth: Int = 0
    ) -> [String: String] {
        guard let table = value?.table, settingCount <= Limit.settings else { return [:] }
        guard depth <= Limit.groupDepth else {
            if !isTooDeep { limitFindings.append(Diagnostic(.groupsTooDeep(limit: Limit.groupDepth), at: place)) }
            isTooDeep = true
            return [:]
        }
        var result: [String: String] = [:]
        if ["base", "configs", "groups", "presets"].contains(where: { table[$0] != nil }) {
            for name in table["groups"]?.texts ?? table["presets"]?.texts ?? [] {
                result.merge(group(name, configuration, place, depth: depth + 1)) { $1 }
            }
            result.merge(Self.plain(table["base"]?.table ?? [:])) { $1 }
            for (name, value) in (table["configs"]?.table ?? [:]).sorted(by: { $0.key < $1.key }) {
                let isName = configurations.contains { $0.name == name }
                guard isName ? name == configuration : configuration.lowercased().holds(name.lowercased()) else {
                    continue
                }
                result.merge(self.table(value, configuration, place, depth: depth + 1)) { $1 }
            }
        } else {
            result = Self.plain(table)
        }
        let isWithinLimit = settingCount <= Limit.settings
        settingCount += result.count + 1
        if isWithinLimit, settingCount > Limit.settings {
            limitFindings.append(Diagnostic(.tooManyGroupSettings(limit: Limit.settings), at: place))
        }
        return result
    }

    private mutating func group(
        _ name: String,
        _ configuration: String,
        _ place: SourcePlace,
        depth: Int
    ) -> [String: String] {
        let key = GroupKey(group: name, configuration: configuration)
        if let known = groups[key] { return known }
        groups[key] = [:]
        let group = spec.root["settingGroups"]?[name] ?? spec.root["settingPresets"]?[name]
        let settings = table(group, configuration, place, depth: depth)
        groups[key] = settings
        return settings
    }

    private static func plain(_ table: [String: Value]) -> [String: String] {
        table.compactMapValues { value in
            let text = value.text ?? value.elements.map { $0.compactMap(\.text).joined(separator: " ") }
            return text.map { ["true": "YES", "false": "NO"][$0] ?? $0 }
        }
    }

    // MARK: - Sources

    /// The values under `sources` of a target, each of which describes files or a folder.
    private func sourceValues(of entry: Entry) -> [Value] {
        guard let value = entry.table["sources"] else { return [] }
        return value.elements ?? [value]
    }

    /// The kind of item at a path in the project; nil if nothing is there, or if the path is outside the project.
    private func item(at path: String) -> FolderWalk.Item? {
        (try? root.resolve(path)) == nil ? nil : FolderWalk.item(at: path)
    }

    private func sources(of entry: Entry) -> XcodeSources.Target {
        var target = XcodeSources.Target()
        for source in sourceValues(of: entry) {
            guard let path = (source.text ?? source["path"]?.text)?.standardizedPath else { continue }
            if source["buildPhase"]?.text == "none" { continue }
            if source["buildPhase"]?.text == "resources" {
                var walk = FolderWalk(isWanted: BundleResources.isRead, entryLimit: 100_000)
                target.files += item(at: path) == .folder ? walk.files(under: path) ?? [] : [path]
                continue
            }
            switch item(at: path) {
            case .folder:
                target.folders[path] = XcodeSources.Folder(
                    excluded: (source["excludes"]?.texts ?? []).map { PathPattern("./" + $0) },
                    included: (source["includes"]?.texts ?? []).map { PathPattern("./" + $0) }
                )
            case .file, .other:
                target.files.append(path)
                target.resources.insert(path.fileName)
            case nil:
                if source["optional"]?.text == "true" { continue }
                target.gaps.append("'\(shown(path))', which the target names as sources, is not found")
            }
        }
        for dependency in entry.table["dependencies"]?.elements ?? [] {
            if let name = dependency["target"]?.text {
                if name.contains("/") {
                    target.gaps.append("the code of '\(name)' belongs to another project")
                } else {
                    target.dependencies.append(name)
                }
            }
            guard let package = dependency["package"]?.text else { continue }
            let products = dependency["products"]?.texts ?? [dependency["product"]?.text ?? package]
            target.products += products
            if spec.root["packages"]?[package]?["path"] != nil { target.localProducts.formUnion(products) }
        }
        return target
    }

    /// The path of the first Info.plist among the sources of a target, which XcodeGen uses if no setting names one; nil
    /// if there is none.
    private func infoPlist(of entry: Entry) -> String? {
        for source in sourceValues(of: entry) {
            guard let path = (source.text ?? source["path"]?.text)?.standardizedPath else { continue }
            let name = "Info.plist"
            switch item(at: path) {
            case .folder:
                var walk = FolderWalk(isWanted: { $0 == name }, entryLimit: 100_000)
                let found = walk.files(under: path)?.min { $0.utf8.count < $1.utf8.count }
                if let found { return found }
            case .file where path.fileName == name: return path
            default: break
            }
        }
        return nil
    }
}
