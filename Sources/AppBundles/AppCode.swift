// SPDX-License-Identifier: MIT

import Dispatch
package import Files
import SourceText
import SwiftSources

/// Reads the code of apps and extensions: finds the files of each bundle, and analyses which keys of pushes they read.
///
/// If an Xcode project builds the bundle, the project names the files; otherwise they are the files under the folder of
/// its Info.plist, except in folders of other bundles. Every file is read once, and bundles with the same files are
/// analysed once.
package final class AppCode: Sendable {
    private enum Limit {
        static let files = 20_000
        static let bytes = 256 << 20
        static let targets = 64
        static let packages = 200
        static let products = 500
        static let gaps = 20
    }

    /// The files of a bundle, and the reasons why there may be more.
    private struct Sources {
        let root: ProjectRoot
        var files: [String] = []
        var gaps: [String] = []
        /// The number of reasons beyond the first ones, which ``gaps`` lists.
        var unlistedGaps = 0
        var visited: Set<String> = []
    }

    /// A file, together with the root inside which it may be read.
    private struct FileKey: Hashable {
        let path: String
        let root: ProjectRoot
    }

    private struct CodeKey: Hashable {
        let files: [String]
        let gaps: [String]
        let root: ProjectRoot
    }

    private let root: @Sendable (String) -> ProjectRoot
    private let shown: @Sendable (String) -> String
    private let parsed = Locked<[FileKey: ParsedCode]>([:])
    private let unread = Locked<[FileKey: String]>([:])
    private let known = Locked<[CodeKey: TargetCode]>([:])

    /// Prepares reading.
    ///
    /// - Parameters:
    ///   - root: returns the root of the project for the absolute path of an Info.plist; code outside this folder is
    ///     not read.
    ///   - shown: returns the path of a file for messages.
    package init(root: @escaping @Sendable (String) -> ProjectRoot, shown: @escaping @Sendable (String) -> String) {
        self.root = root
        self.shown = shown
    }

    /// Adds the results of analysing the code of an app and of its extensions.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - projects: the Xcode projects that may build it.
    ///   - bundles: the absolute paths of the Info.plists of all bundles around it.
    ///   - absolute: returns the absolute path of a file of the app.
    package func read(
        _ app: inout App,
        projects: [XcodeProject],
        bundles: Set<String>,
        absolute: (String) -> String
    ) {
        let folders = Set(bundles.map(\.folder))
        for index in app.extensions.indices where app.extensions[index].takesPushes {
            guard let path = app.extensions[index].place.map({ absolute($0.file.path) }) else { continue }
            let (name, sources) = sources(of: path, named: nil, projects, folders)
            app.extensions[index].name = name ?? path.folder.fileName
            app.extensions[index].code = code(sources, at: app.extensions[index].place)
        }
        guard let place = app.place, !place.file.path.hasSuffix(".json") else { return }
        let path = absolute(place.file.path)
        let (_, sources) = sources(of: path, named: app.name, projects, folders)
        app.code = code(sources, at: place)
    }

    /// The paths of the files that were read, for messages.
    package var shownPaths: [String] { parsed.withLock { $0.values.map(\.file.path) } }

    // MARK: - Files

    /// The files of a bundle, and the name of the target that builds it.
    private func sources(
        of plist: String,
        named name: String?,
        _ projects: [XcodeProject],
        _ folders: Set<String>
    ) -> (name: String?, sources: Sources) {
        var sources = Sources(root: root(plist))
        for project in projects {
            let target =
                project.targets.first { $0.lists.contains(plist) }
                ?? (plist.hasSuffix("/" + XcodeProject.fileName)
                    ? project.targets.first { $0.name == name && $0.kind == .application } : nil)
            guard let target else { continue }
            add(target.name, in: project, to: &sources)
            if sources.files.isEmpty { addFiles(under: plist.folder, folders, to: &sources) }
            return (target.name, sources)
        }
        addFiles(under: plist.folder, folders, to: &sources)
        return (nil, sources)
    }

    /// Adds the files of a target, and those of the linked targets and packages of the project.
    private func add(_ name: String, in project: XcodeProject, to sources: inout Sources) {
        guard !sources.visited.contains(name), let target = project.sources.targets[name] else { return }
        guard sources.visited.count < Limit.targets else {
            return note("the target depends on more than \(Limit.targets) targets", in: &sources)
        }
        sources.visited.insert(name)
        for gap in target.gaps { note(gap, in: &sources) }
        var found = target.files.filter(Self.isCode)
        for (folder, excluded) in target.folders.sorted(by: { $0.key < $1.key }) {
            found += walk(folder, &sources) { excluded.contains($0) }
        }
        for folder in Set(found.filter { $0.hasSuffix(".m") || $0.hasSuffix(".mm") }.map(\.folder)).sorted() {
            found += headers(in: folder, &sources)
        }
        sources.files += found
        for dependency in target.dependencies {
            let kind = project.targets.first { $0.name == dependency }?.kind
            if kind == .other { add(dependency, in: project, to: &sources) }
        }
        addPackages(of: target, in: project, to: &sources)
    }

    private func addPackages(of target: XcodeSources.Target, in project: XcodeProject, to sources: inout Sources) {
        let packages = Set(project.sources.packages).sorted()
        let products = Set(target.products).sorted()
        if packages.count > Limit.packages || products.count > Limit.products {
            note(
                "the project has more than \(Limit.packages) packages or \(Limit.products) of their products",
                in: &sources)
        }
        for package in packages.prefix(Limit.packages) where FolderWalk.item(at: package) == .folder {
            let manifest = manifest(of: package, &sources)
            for product in products.prefix(Limit.products) {
                addSources(of: product, in: package, manifest, to: &sources)
            }
        }
    }

    /// Adds the sources of a product of a package, if the package has the product.
    private func addSources(
        of product: String,
        in package: String,
        _ manifest: PackageManifest?,
        to sources: inout Sources
    ) {
        let own = package + "/Sources/" + product
        guard let targets = manifest?.targets(ofProduct: product) else {
            // Without a manifest that can be read, the folder or the package has the name of the product.
            let isOwn = FolderWalk.item(at: own) == .folder
            if isOwn || package.fileName == product {
                sources.files += walk(isOwn ? own : package + "/Sources", &sources)
            }
            return
        }
        for target in targets {
            let places =
                target.path.map { [$0] } ?? ["Sources", "Source", "src", "srcs"].map { $0 + "/" + target.name }
            let folders = places.map { (package + "/" + $0).standardizedPath }
            if let folder = folders.first(where: { FolderWalk.item(at: $0) == .folder }) {
                sources.files += walk(folder, &sources)
            } else {
                note(
                    "the sources of the target '\(target.name)' of the package '\(shown(package))' are not found",
                    in: &sources
                )
            }
        }
    }

    /// The manifest of a package; nil where it is missing or cannot be read.
    private func manifest(of package: String, _ sources: inout Sources) -> PackageManifest? {
        let path = package + "/Package.swift"
        do throws(FileError) {
            let file = try SourceFile(contentsOf: path, shownAs: shown(path), in: sources.root)
            return PackageManifest(String(decoding: file.utf8, as: UTF8.self))
        } catch {
            if error.reason != .missing { note(reason(of: error), in: &sources) }
            return nil
        }
    }

    private static func isCode(_ path: String) -> Bool {
        ParsedCode.extensions.contains { path.hasSuffix("." + $0) }
    }

    private func addFiles(under folder: String, _ bundles: Set<String>, to sources: inout Sources) {
        sources.files += walk(folder, &sources) { $0 != folder && bundles.contains($0) }
    }

    private func walk(
        _ folder: String,
        _ sources: inout Sources,
        without isExcluded: @escaping (String) -> Bool = { _ in false }
    ) -> [String] {
        do throws(FileError) {
            _ = try sources.root.resolve(folder)
        } catch {
            note("\(reason(of: error)), so it is not searched for code", in: &sources)
            return []
        }
        var walk = FolderWalk(isWanted: Self.isCode, isExcluded: isExcluded, entryLimit: 100_000)
        return taken(walk.files(under: folder), walk.gaps, folder, &sources)
    }

    private func headers(in folder: String, _ sources: inout Sources) -> [String] {
        guard (try? sources.root.resolve(folder)) != nil else { return [] }
        var walk = FolderWalk(isWanted: { $0.hasSuffix(".h") }, entryLimit: 10_000)
        return taken(walk.files(under: folder), walk.gaps, folder, &sources).filter { $0.folder == folder }
    }

    /// The files that a walk has found; folders that it has not entered are added as gaps.
    private func taken(
        _ files: [String]?,
        _ gaps: [FolderWalk.Gap],
        _ folder: String,
        _ sources: inout Sources
    ) -> [String] {
        for gap in gaps { note("'\(shown(gap.path))' is not searched for code: \(gap.reason)", in: &sources) }
        if files == nil { note("'\(shown(folder))' cannot be searched for code", in: &sources) }
        return files ?? []
    }

    private func reason(of error: FileError) -> String {
        FileError(error.operation, shown(error.path), error.reason).description
    }

    private func note(_ gap: String, in sources: inout Sources) {
        guard sources.gaps.count < Limit.gaps else {
            sources.unlistedGaps += 1
            return
        }
        if !sources.gaps.contains(gap) { sources.gaps.append(gap) }
    }

    // MARK: - Code

    /// Reads the code of a bundle.
    ///
    /// - Parameters:
    ///   - sources: the files.
    ///   - place: the declaration of the bundle, to which findings about unreadable files point.
    /// - Returns: the result; nil where there is no code.
    private func code(_ sources: Sources, at place: SourcePlace?) -> TargetCode? {
        guard !sources.files.isEmpty || !sources.gaps.isEmpty else { return nil }
        let all = Set(sources.files)
        let paths = all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(Limit.files)
        let key = CodeKey(files: Array(paths), gaps: sources.gaps, root: sources.root)
        if let found = known.withLock({ $0[key] }) { return found }
        let units = parse(key.files, in: sources.root)
        var code = units.contains(where: \.mayConcernPushes) ? TargetCode(units) : TargetCode()
        var gaps = sources.gaps
        if all.count > Limit.files { gaps.append("the target has more than \(Limit.files) files of code") }
        gaps += unread.withLock { unread in
            key.files.compactMap { path in
                unread[FileKey(path: path, root: sources.root)].map { "a file of the target is not read: \($0)" }
            }
        }
        if let place = place ?? units.first.map({ SourcePlace($0.file, SourceRange(0, 0)) }) {
            code.unknownReads += gaps.prefix(Limit.gaps).map { TargetCode.Gap(place: place, why: $0) }
            let others = Swift.max(0, gaps.count - Limit.gaps) + sources.unlistedGaps
            if others > 0 {
                let why = "\(others) more files or folders are not read, for reasons such as those before"
                code.unknownReads.append(TargetCode.Gap(place: place, why: why))
            }
        }
        known.withLock { [code] in $0[key] = code }
        return code
    }

    private func parse(_ paths: [String], in root: ProjectRoot) -> [ParsedCode] {
        let missing = parsed.withLock { known in paths.filter { known[FileKey(path: $0, root: root)] == nil } }
        // Sizes are added in the order of the paths, so the same files are read in every run.
        var bytes = 0
        let isWithinLimit = missing.map { path in
            bytes += FileStatus(path: path).map { Int(clamping: $0.size) } ?? 0
            return bytes <= Limit.bytes
        }
        DispatchQueue.concurrentPerform(iterations: missing.count) { index in
            let key = FileKey(path: missing[index], root: root)
            guard isWithinLimit[index] else {
                return unread.withLock { $0[key] = "the code of the target has more than \(Limit.bytes >> 20) MiB" }
            }
            do throws(FileError) {
                let file = try SourceFile(contentsOf: key.path, shownAs: shown(key.path), in: root)
                let unit = ParsedCode(file)
                parsed.withLock { $0[key] = unit }
            } catch {
                unread.withLock { $0[key] = reason(of: error) }
            }
        }
        return parsed.withLock { known in paths.compactMap { known[FileKey(path: $0, root: root)] } }
    }
}

extension App.Extension {
    /// Whether it shows or changes notifications.
    package var takesPushes: Bool { kind == .content || kind == .service }
}
