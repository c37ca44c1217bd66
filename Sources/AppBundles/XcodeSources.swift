// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PlistDocuments

/// The source files of the targets of an Xcode project.
///
/// A target names its files in its sources phase and its synchronized folders. It may also be linked with other targets
/// of the project and with local packages.
package struct XcodeSources: Sendable {
    /// A folder whose files belong to a target, with some exceptions.
    package struct Folder: Sendable {
        /// The absolute paths of files and folders that do not belong to the target.
        var excludedPaths: Set<String> = []

        /// Patterns for the paths of files and folders in this folder that do not belong to the target.
        var excluded: [PathPattern] = []

        /// Patterns for the paths of files that belong to the target; if empty, all files do.
        var included: [PathPattern] = []

        /// Whether a file or folder is excluded from the target.
        ///
        /// - Parameters:
        ///   - path: the absolute path of the file or folder.
        ///   - folder: the absolute path of this folder.
        /// - Returns: whether it is excluded.
        func excludes(_ path: String, in folder: String) -> Bool {
            if excludedPaths.contains(path) { return true }
            guard !excluded.isEmpty, path.utf8.count > folder.utf8.count else { return false }
            let names = PathPattern.names(String(path.dropFirst(folder.count)))
            return excluded.contains { $0.matches(names) }
        }

        /// Whether a file in the folder matches ``included``, or ``included`` is empty.
        func includes(_ path: String, in folder: String) -> Bool {
            guard !included.isEmpty else { return true }
            let names = PathPattern.names(String(path.dropFirst(folder.count)))
            return included.contains { $0.matches(names) }
        }
    }

    /// The source files of one target, and what the target is linked with.
    package struct Target: Sendable {
        /// The absolute paths of the files that the target names itself.
        package var files: [String] = []

        /// The places in the project file that name the source files, by the absolute paths of the files.
        var places: [String: SourcePlace] = [:]

        /// The names of the files that are copied into the target's bundle; a localized file has the name of its group.
        package var resources: Set<String> = []

        /// The paths of the storyboards among ``resources``.
        package var storyboards: Set<String> = []

        /// The folders that belong to the target, by their absolute paths.
        package var folders: [String: Folder] = [:]

        /// The names of the targets of the same project on which the target depends.
        package var dependencies: [String] = []

        /// The names of the package products with which the target is linked.
        package var products: [String] = []

        /// The names in ``products`` that may belong to packages on disk that the project does not name.
        var localProducts: Set<String> = []

        /// Whether the target is linked with a library that neither Apple nor the project builds, such as a library
        /// from CocoaPods.
        var linksForeignLibraries = false

        /// The reasons why some files of the target are not known, in words for messages.
        package var gaps: [String] = []

        /// The same target, with its paths in the upper and lower case that they have on disk.
        fileprivate func spelled(_ spelling: FileSpelling) -> Target {
            var target = self
            target.files = files.map(spelling.path)
            for (path, spelled) in zip(files, target.files) where path != spelled {
                target.places[spelled] = target.places.removeValue(forKey: path)
            }
            target.folders = [:]
            for (path, var folder) in folders {
                folder.excludedPaths = Set(folder.excludedPaths.map(spelling.path))
                target.folders[spelling.path(path)] = folder
            }
            return target
        }
    }

    private enum Limit {
        static let objects = 500_000
        static let files = 200_000
        static let folders = 1_000
    }

    /// The source files of the targets, by the names of the targets.
    package private(set) var targets: [String: Target] = [:]

    /// The absolute paths of the folders of local packages.
    package private(set) var packages: [String] = []

    /// Whether the project names packages that are downloaded, so their code is not on disk.
    private(set) var hasRemotePackages = false

    /// The absolute paths of folders in the project that may be packages.
    package private(set) var folders: [String] = []

    private let root: String
    private var objects: [String: [String: PlistNode]] = [:]
    private var groups: [String: String] = [:]
    private let document: PlistDocument?
    private let nodes: [PlistNode]
    private var fileCount = 0
    private var paths: [String: String?] = [:]

    /// Reads the sources of all targets.
    ///
    /// - Parameters:
    ///   - document: the file `project.pbxproj`.
    ///   - root: the folder that paths are relative to.
    ///   - spelling: finds files whose names differ in case.
    init(_ document: PlistDocument, root: String, spelling: FileSpelling) {
        self.root = root
        self.document = document
        nodes = document.allNodes
        guard let table = document["objects"], table.children.count <= Limit.objects else { return }
        for index in table.children {
            guard let id = nodes[index].key?.text else { continue }
            var members: [String: PlistNode] = [:]
            for child in nodes[index].children {
                if let key = nodes[child].key?.text, Self.members.contains(key) { members[key] = nodes[child] }
            }
            objects[id] = members
            for child in members["children"]?.children ?? [] { groups[nodes[child].text] = id }
        }
        readTargets()
        targets = targets.mapValues { $0.spelled(spelling) }
        packages = packages.map(spelling.path)
        folders = folders.map(spelling.path)
        objects = [:]
        groups = [:]
        paths = [:]
    }

    /// Creates sources from their parts.
    init(targets: [String: Target], packages: [String], hasRemotePackages: Bool) {
        root = ""
        document = nil
        nodes = []
        self.targets = targets
        self.packages = packages
        self.hasRemotePackages = hasRemotePackages
    }

    private static let members: Set<String> = [
        "isa", "name", "path", "sourceTree", "children", "files", "fileRef", "buildPhases", "dependencies", "target",
        "fileSystemSynchronizedGroups", "exceptions", "membershipExceptions", "packageProductDependencies",
        "productName", "productReference", "relativePath", "package", "lastKnownFileType", "dstSubfolderSpec",
        "dstPath",
    ]

    private static let localPackages: Set<String?> = ["XCLocalSwiftPackageReference", "XCSwiftPackageReference"]

    private func text(_ id: String, _ key: String) -> String? { objects[id]?[key]?.string }

    private func ids(_ id: String, _ key: String) -> [String] {
        (objects[id]?[key]?.children ?? []).map { nodes[$0].text }
    }

    private mutating func readTargets() {
        let ids = objects.keys.sorted()
        var names: [String: String] = [:]
        var products: [String: String] = [:]
        var owners: [String: Set<String>] = [:]
        for id in ids where text(id, "isa") == "PBXNativeTarget" {
            guard let name = text(id, "name") else { continue }
            names[id] = name
            if let product = text(id, "productReference") { products[product] = name }
            for group in self.ids(id, "fileSystemSynchronizedGroups") { owners[group, default: []].insert(id) }
        }
        for id in ids {
            guard let name = names[id] else { continue }
            var target = target(id, names)
            let libraries = libraries(of: id)
            let linked = libraries.compactMap { products[$0] }
            target.dependencies += unique(linked).filter { $0 != name && !target.dependencies.contains($0) }
            target.linksForeignLibraries = libraries.contains { library in
                products[library] == nil && !["SDKROOT", "DEVELOPER_DIR"].contains(text(library, "sourceTree"))
            }
            targets[name] = target
        }
        // A product counts as remote if any dependency on it names a remote package; other dependencies on the same
        // product may name no package.
        let remote = Set(
            ids.compactMap { id in
                text(id, "package").flatMap { text($0, "isa") } == "XCRemoteSwiftPackageReference"
                    ? text(id, "productName") : nil
            }
        )
        for name in targets.keys { targets[name]?.localProducts.subtract(remote) }
        hasRemotePackages = ids.contains { text($0, "isa") == "XCRemoteSwiftPackageReference" }
        for id in ids where text(id, "isa") == "PBXFileSystemSynchronizedRootGroup" {
            readExceptions(of: id, owners[id] ?? [], names)
        }
        for id in ids {
            guard Self.localPackages.contains(text(id, "isa")), let path = text(id, "relativePath") else { continue }
            packages.append((root + "/" + path).standardizedPath)
        }
        for id in ids where text(id, "isa") == "PBXFileReference" && folders.count < Limit.folders {
            guard ["folder", "wrapper", "text"].contains(text(id, "lastKnownFileType")) else { continue }
            if let path = knownPath(of: id) { folders.append(path) }
        }
    }

    private mutating func target(_ id: String, _ names: [String: String]) -> Target {
        var target = Target()
        for phase in ids(id, "buildPhases") where text(phase, "isa") == "PBXSourcesBuildPhase" {
            for file in unique(ids(phase, "files")) {
                fileCount += 1
                guard fileCount <= Limit.files else {
                    target.gaps = ["the project lists more than \(Limit.files) files"]
                    break
                }
                // Entries that are not files of the project, such as products of a package, are skipped.
                guard let reference = text(file, "fileRef"), objects[reference] != nil else { continue }
                guard let path = knownPath(of: reference) else {
                    target.gaps.append("the path of a file of the target is not known")
                    continue
                }
                target.files.append(path)
                if let node = objects[reference]?["path"] { target.places[path] = document?.place(node.range) }
            }
        }
        for phase in ids(id, "buildPhases") where copiesResources(phase) {
            for file in unique(ids(phase, "files")) {
                fileCount += 1
                guard fileCount <= Limit.files else {
                    target.gaps.append("the project lists more than \(Limit.files) files")
                    break
                }
                guard let reference = text(file, "fileRef") else { continue }
                if let name = text(reference, "name") ?? text(reference, "path") {
                    target.resources.insert(name.fileName)
                }
                for member in [reference] + ids(reference, "children") {
                    let name = text(member, "path")?.fileName ?? ""
                    if name.hasSuffix(".storyboard"), let path = knownPath(of: member) {
                        target.storyboards.insert(path)
                    }
                    guard BundleResources.isRead(name) else { continue }
                    if let path = knownPath(of: member) { target.files.append(path) }
                }
            }
        }
        target.gaps = unique(target.gaps)
        for group in ids(id, "fileSystemSynchronizedGroups") {
            guard let path = knownPath(of: group) else { continue }
            target.folders[path] = Folder()
        }
        target.dependencies = ids(id, "dependencies").compactMap { text($0, "target").flatMap { names[$0] } }
        for product in ids(id, "packageProductDependencies") {
            guard let name = text(product, "productName"), !name.hasPrefix("plugin:") else { continue }
            target.products.append(name)
            let kind = text(product, "package").flatMap { text($0, "isa") }
            if kind == nil || Self.localPackages.contains(kind) { target.localProducts.insert(name) }
        }
        return target
    }

    /// Whether a build phase copies files into the top folder of the bundle, where the app's resources are.
    private func copiesResources(_ phase: String) -> Bool {
        switch text(phase, "isa") {
        case "PBXResourcesBuildPhase": true
        case "PBXCopyFilesBuildPhase": text(phase, "dstSubfolderSpec") == "7" && text(phase, "dstPath") ?? "" == ""
        default: false
        }
    }

    /// The IDs of the files with which a target is linked; other targets of the project may build some of them.
    private mutating func libraries(of id: String) -> [String] {
        var found: [String] = []
        for phase in ids(id, "buildPhases") where text(phase, "isa") == "PBXFrameworksBuildPhase" {
            for file in ids(phase, "files") {
                fileCount += 1
                guard fileCount <= Limit.files else { return found }
                if let reference = text(file, "fileRef") { found.append(reference) }
            }
        }
        return found
    }

    /// Reads the exceptions of a synchronized folder: files that do not belong to the folder's targets, or that belong
    /// to other targets.
    private mutating func readExceptions(of group: String, _ owners: Set<String>, _ names: [String: String]) {
        guard let folder = knownPath(of: group) else { return }
        for exception in unique(ids(group, "exceptions")) {
            guard let id = text(exception, "target"), let name = names[id] else { continue }
            let members = unique(ids(exception, "membershipExceptions"))
            fileCount += members.count
            guard fileCount <= Limit.files else {
                targets[name]?.gaps = ["the project lists more than \(Limit.files) files"]
                return
            }
            let paths = members.map { (folder + "/" + $0).standardizedPath }
            if owners.contains(id) {
                targets[name]?.folders[folder]?.excludedPaths.formUnion(paths)
            } else {
                targets[name]?.files += paths
                // The system finds localized files by their names, without the folder of their language.
                targets[name]?.resources.formUnion(members.map(\.fileName))
            }
        }
    }

    private func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// The absolute path of a file or group, computed once; nil if it is unknown or too long.
    private mutating func knownPath(of id: String) -> String? {
        if let known = paths[id] { return known }
        let path = path(of: id).flatMap { $0.utf8.count <= 4_096 ? $0 : nil }
        paths[id] = path
        return path
    }

    /// The absolute path of a file or group; nil if it is relative to an unknown folder.
    private func path(of id: String) -> String? {
        var parts: [String] = []
        var current: String? = id
        for _ in 0..<64 {
            guard let id = current, objects[id] != nil else { break }
            if let path = text(id, "path") { parts.insert(path, at: 0) }
            switch text(id, "sourceTree") {
            case "<absolute>": return parts.joined(separator: "/").standardizedPath
            case "SOURCE_ROOT": current = nil
            case "<group>", nil: current = groups[id]
            default: return nil
            }
        }
        return ([root] + parts).joined(separator: "/").standardizedPath
    }
}
