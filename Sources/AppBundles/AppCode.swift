// SPDX-License-Identifier: MIT

import Dispatch
package import Files
import SourceText
import SwiftSources

/// Reads the code of apps and extensions: which files belong to a bundle, and what they read of pushes.
///
/// Where an Xcode project builds the bundle, the project says which files; else they are those under the folder of its
/// Info.plist, down to the folders of other bundles. Every file is read once, and bundles of the same files are followed
/// once.
package final class AppCode: Sendable {
    private enum Limit {
        static let files = 20_000
        static let bytes = 256 << 20
        static let targets = 64
    }

    private let root: @Sendable (String) -> ProjectRoot
    private let shown: @Sendable (String) -> String
    private let parsed = Locked<[String: ParsedCode]>([:])
    private let known = Locked<[[String]: TargetCode]>([:])

    /// Prepares reading.
    ///
    /// - Parameters:
    ///   - root: gives the project that a file, by its absolute path, has to be inside of.
    ///   - shown: gives the path of a file as messages show it.
    package init(root: @escaping @Sendable (String) -> ProjectRoot, shown: @escaping @Sendable (String) -> String) {
        self.root = root
        self.shown = shown
    }

    /// Adds what the code of an app and of its extensions reads.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - projects: the Xcode projects that may build it.
    ///   - bundles: the absolute paths of the Info.plists of all bundles around it.
    ///   - absolute: gives the absolute path of a file of the app.
    package func read(
        _ app: inout App,
        projects: [XcodeProject],
        bundles: Set<String>,
        absolute: (String) -> String
    ) {
        let folders = Set(bundles.map(\.folder))
        for index in app.extensions.indices where app.extensions[index].takesPushes {
            guard let path = app.extensions[index].place.map({ absolute($0.file.path) }) else { continue }
            let (name, files) = sources(of: path, named: nil, projects, folders)
            app.extensions[index].name = name ?? path.folder.fileName
            app.extensions[index].code = code(files)
        }
        guard let place = app.place, !place.file.path.hasSuffix(".json") else { return }
        let path = absolute(place.file.path)
        let (_, files) = sources(of: path, named: app.name, projects, folders)
        app.code = code(files)
    }

    /// The paths of the files that were read, as messages show them.
    package var shownPaths: [String] { parsed.withLock { $0.values.map(\.file.path) } }

    // MARK: - Files

    /// The files of a bundle, and the name of the target that builds it.
    private func sources(
        of plist: String,
        named name: String?,
        _ projects: [XcodeProject],
        _ folders: Set<String>
    ) -> (name: String?, files: [String]) {
        for project in projects {
            let target =
                project.targets.first { $0.lists.contains(plist) }
                ?? (plist.hasSuffix("/" + XcodeProject.fileName)
                    ? project.targets.first { $0.name == name && $0.kind == .application } : nil)
            guard let target else { continue }
            var visited: Set<String> = []
            let own = files(of: target.name, in: project, &visited)
            return (target.name, own.isEmpty ? files(under: plist.folder, folders) : own)
        }
        return (nil, files(under: plist.folder, folders))
    }

    /// The files of a target with those of the targets and packages of the project that it is linked with.
    private func files(of name: String, in project: XcodeProject, _ visited: inout Set<String>) -> [String] {
        guard visited.count < Limit.targets, visited.insert(name).inserted, let target = project.sources.targets[name]
        else { return [] }
        var found = target.files.filter(Self.isCode)
        for (folder, excluded) in target.folders.sorted(by: { $0.key < $1.key }) {
            found += walk(folder) { excluded.contains($0) }
        }
        for folder in Set(found.filter { $0.hasSuffix(".m") || $0.hasSuffix(".mm") }.map(\.folder)).sorted() {
            found += headers(in: folder)
        }
        for dependency in target.dependencies {
            let kind = project.targets.first { $0.name == dependency }?.kind
            if kind == .other { found += files(of: dependency, in: project, &visited) }
        }
        for product in target.products {
            for package in project.sources.packages {
                guard visited.insert(package + "//" + product).inserted else { continue }
                let own = package + "/Sources/" + product
                let isOwn = FolderWalk.item(at: own) == .folder
                if isOwn || package.fileName == product { found += walk(isOwn ? own : package + "/Sources") }
            }
        }
        return found
    }

    private static func isCode(_ path: String) -> Bool {
        ParsedCode.extensions.contains { path.hasSuffix("." + $0) }
    }

    private func files(under folder: String, _ bundles: Set<String>) -> [String] {
        walk(folder) { $0 != folder && bundles.contains($0) }
    }

    private func walk(_ folder: String, without isExcluded: @escaping (String) -> Bool = { _ in false }) -> [String] {
        guard (try? root(folder).resolve(folder)) != nil else { return [] }
        var walk = FolderWalk(isWanted: Self.isCode, isExcluded: isExcluded, entryLimit: 100_000)
        return walk.files(under: folder) ?? []
    }

    private func headers(in folder: String) -> [String] {
        var walk = FolderWalk(isWanted: { $0.hasSuffix(".h") }, entryLimit: 10_000)
        return (walk.files(under: folder) ?? []).filter { $0.folder == folder }
    }

    // MARK: - Code

    /// What the code in files reads; nil where there is none.
    private func code(_ files: [String]) -> TargetCode? {
        guard !files.isEmpty else { return nil }
        var seen: Set<String> = []
        let paths = files.filter { seen.insert($0).inserted }.prefix(Limit.files).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        if let found = known.withLock({ $0[paths] }) { return found }
        let units = parse(paths)
        var code = units.contains(where: \.mayConcernPushes) ? TargetCode(units) : TargetCode()
        if files.count > Limit.files, let first = units.first {
            code.unknownReads.append(
                TargetCode.Gap(
                    place: SourcePlace(first.file, SourceRange(0, 0)),
                    why: "the target has more than \(Limit.files) files of code"
                )
            )
        }
        known.withLock { [code] in $0[paths] = code }
        return code
    }

    private func parse(_ paths: [String]) -> [ParsedCode] {
        let missing = parsed.withLock { known in paths.filter { known[$0] == nil } }
        let bytes = Locked(0)
        DispatchQueue.concurrentPerform(iterations: missing.count) { index in
            let path = missing[index]
            guard bytes.withLock({ $0 }) < Limit.bytes,
                let file = try? SourceFile(contentsOf: path, shownAs: shown(path), in: root(path))
            else { return }
            bytes.withLock { $0 += file.bytes.count }
            let unit = ParsedCode(file)
            parsed.withLock { $0[path] = unit }
        }
        return parsed.withLock { known in paths.compactMap { known[$0] } }
    }
}

extension App.Extension {
    /// Whether it shows or changes notifications.
    package var takesPushes: Bool { kind == .content || kind == .service }
}
