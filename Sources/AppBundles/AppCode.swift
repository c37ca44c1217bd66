// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
package import POSIXFiles
import SwiftSources

/// Reads the code of apps and extensions: finds the files of each bundle, and determines which keys of pushes the code
/// reads.
///
/// If an Xcode project builds the bundle, or XcodeGen would write such a project, the project names the files;
/// otherwise they are the files under the folder of its Info.plist, except in folders of other bundles. Every file is
/// read once, and bundles with the same files are analysed once.
package final class AppCode: Sendable {
    private enum Limit {
        static let files = 20_000
        static let bytes = 256 << 20
        static let targets = 64
        static let packages = 200
        static let products = 500
        static let gaps = 20
        /// The maximum number of unread files that one finding names; the others are only counted.
        static let listed = 3
    }

    /// The source files of a bundle, and the reasons why some of them may not be known.
    private struct Sources {
        let root: ProjectRoot
        /// The name of the bundle's target; without a target, of the folder that contains the Info.plist.
        var name = ""
        var files: [String] = []
        /// The files of the target itself; the other ``files`` belong to targets and packages with which it is linked.
        var ownFiles: [String] = []
        /// The places in Xcode projects that name the files, by the paths of the files.
        var places: [String: SourcePlace] = [:]
        /// The modules whose code is among the files.
        var modules: Set<String> = []
        /// The method to which the system passes a notification, which the extension must have; nil for an app.
        var entryPoint: TargetCode.EntryPoint?
        var gaps: [String] = []
        /// The number of reasons that were left out of ``gaps`` because it is full.
        var unlistedGaps = 0
        /// Whether the target may have files that are left out without a reason in ``gaps``: files of CocoaPods, and
        /// files in linked folders.
        var omitsFiles = false
        /// The targets and package products that were already added, so that none is added twice.
        var visited: Set<String> = []
        var targetCount = 0
        /// The number of packages that were searched because other packages depend on them; it is limited.
        var packageCount = 0
        private let spelling: FileSpelling

        init(root: ProjectRoot) {
            self.root = root
            spelling = FileSpelling(names: root.names)
        }

        /// The path as the file system spells it, if a project names it in another case.
        func onDisk(_ path: String) -> String { spelling.path(path.standardizedPath) }
    }

    /// A file or folder, and the root of its project, outside which nothing is read.
    private struct FileKey: Hashable {
        let path: String
        let root: ProjectRoot
    }

    private struct CodeKey: Hashable {
        let files: [String]
        let ownFiles: Set<String>
        let modules: Set<String>
        let entryPoint: TargetCode.EntryPoint?
        let gaps: [String]
        let omitsFiles: Bool
        let root: ProjectRoot
    }

    private struct BundleID: Hashable {
        let plist: String
        let target: String?
        let project: String?
        let bundles: Set<String>
    }

    /// A weak reference to the code of a bundle, which an app keeps alive.
    ///
    /// A strong reference would form a cycle, because the code refers to this reader.
    private struct Reference {
        weak var code: BundleCode?
    }

    private let root: @Sendable (String) -> ProjectRoot
    private let shown: @Sendable (String) -> String
    private let overlay: Overlay
    /// The files that were read, by their absolute paths.
    private let parsed = Locked<[String: OnDemand<ParsedCode>]>([:])
    /// The absolute paths of the package manifests and workspaces that were read.
    private let manifests = Locked<Set<String>>([])
    private let known = Locked<[CodeKey: OnDemand<TargetCode>]>([:])
    private let codes = Locked<[BundleID: Reference]>([:])
    private let projectFolders = Locked<[FileKey: [String]]>([:])

    /// Creates a reader, which reads nothing yet.
    ///
    /// - Parameters:
    ///   - root: returns the root of the project for the absolute path of an Info.plist; code outside this folder is
    ///     not read.
    ///   - shown: returns the path of a file for messages.
    ///   - overlay: the unsaved texts.
    package init(
        root: @escaping @Sendable (String) -> ProjectRoot,
        shown: @escaping @Sendable (String) -> String,
        overlay: Overlay
    ) {
        self.root = root
        self.shown = shown
        self.overlay = overlay
    }

    /// Creates a reader that keeps what another reader has read, except for the files that have changed since.
    ///
    /// - Parameters:
    ///   - other: the other reader, with the same roots and paths for messages.
    ///   - changed: the absolute paths of the files that have changed.
    ///   - overlay: the current unsaved texts.
    package convenience init(keeping other: AppCode, without changed: Set<String>, overlay: Overlay) {
        self.init(root: other.root, shown: other.shown, overlay: overlay)
        let kept = other.parsed.withLock { $0.filter { !changed.contains($0.key) } }
        parsed.withLock { $0 = kept }
        guard changed.isDisjoint(with: other.paths) else { return }
        // A gap about a whole bundle has its place in the Info.plist, which may have changed, so the code of such a
        // bundle is read again.
        let codes = other.known.withLock { known in
            known.filter { _, code in
                code.isMade && code.value.unknownReads.allSatisfy { Self.isCode($0.place.file.path) }
            }
        }
        known.withLock { $0 = codes }
    }

    /// Gives an app and its extensions their code, which is read when it is first needed.
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
        for index in app.extensions.indices where app.extensions[index].takesPushes {
            guard let place = app.extensions[index].place else { continue }
            let path = absolute(place.file.path)
            let builder = target(of: path, named: nil, in: projects)
            app.extensions[index].name = builder?.name ?? path.folder.fileName
            app.extensions[index].isOfOneTarget = projects.flatMap(\.targets).count { $0.lists.contains(path) } == 1
            app.extensions[index].bundleCode = bundleCode(
                of: path, app.extensions[index].entryPoint, builder, bundles, at: place)
            guard let principal = app.extensions[index].principalClass, principal.nameInOwnModule == nil else {
                continue
            }
            let sources = builder.flatMap { $0.project.sources.targets[$0.name] }
            app.extensions[index].principalClass?.mayBeOfLibrary = sources?.linksForeignLibraries ?? false
            guard let module = principal.module else { continue }
            let products = sources?.products ?? []
            app.extensions[index].principalClass?.isOfKnownModule =
                products.contains(module) || projects.contains { $0.buildsLibrary(ofModule: module) }
        }
        guard let place = app.place, !place.file.path.hasSuffix(".json") else { return }
        let path = absolute(place.file.path)
        let builder = target(of: path, named: app.name, in: projects)
        app.bundleCode = bundleCode(of: path, nil, builder, bundles, at: place)
        if let target = builder.flatMap({ $0.project.sources.targets[$0.name] }), target.gaps.isEmpty {
            app.resources = OnDemand(making: { [root = root(path)] in BundleResources(of: target, in: root) })
        }
    }

    /// The code of the bundle with an Info.plist.
    ///
    /// All configurations of a bundle have the same code.
    private func bundleCode(
        of plist: String,
        _ entryPoint: TargetCode.EntryPoint?,
        _ builder: (name: String, project: XcodeProject)?,
        _ bundles: Set<String>,
        at place: SourcePlace
    ) -> BundleCode {
        let key = BundleID(plist: plist, target: builder?.name, project: builder?.project.folder, bundles: bundles)
        return codes.withLock { codes in
            if let known = codes[key]?.code { return known }
            let unread = BundleCode(making: { [self] in
                var sources = sources(of: plist, builder, bundles)
                sources.entryPoint = entryPoint
                return code(sources, at: place)
            })
            codes[key] = Reference(code: unread)
            return unread
        }
    }

    /// The files of code that were read, sorted by their paths.
    package var files: [SourceFile] {
        parsed.withLock { $0.values.filter(\.isMade).map(\.value.file) }.sorted { $0.path < $1.path }
    }

    /// The absolute paths of all files that were read: code, manifests of packages, and workspaces.
    package var paths: [String] { parsed.withLock { Array($0.keys) } + manifests.withLock { Array($0) } }

    // MARK: - Files

    /// The target that builds the bundle with an Info.plist, and the target's project; nil if no project builds it.
    private func target(
        of plist: String,
        named name: String?,
        in projects: [XcodeProject]
    ) -> (name: String, project: XcodeProject)? {
        for project in projects {
            let target =
                project.targets.first { $0.lists.contains(plist) }
                ?? (plist.hasSuffix("/" + XcodeProject.fileName)
                    ? project.targets.first { $0.name == name && $0.kind == .application } : nil)
            if let target { return (target.name, project) }
        }
        return nil
    }

    /// The files of a bundle.
    ///
    /// - Parameters:
    ///   - plist: the absolute path of its Info.plist.
    ///   - builder: the target that builds it.
    ///   - bundles: the Info.plists of all bundles.
    /// - Returns: the files, and the reasons why some are not known.
    private func sources(
        of plist: String,
        _ builder: (name: String, project: XcodeProject)?,
        _ bundles: Set<String>
    ) -> Sources {
        var sources = Sources(root: root(plist))
        sources.name = builder?.name ?? plist.folder.fileName
        if let builder {
            add(builder.name, in: builder.project, to: &sources)
        } else {
            for workspace in workspaces(around: plist.folder, &sources) {
                let missing = workspace.missingProjects.map { "'\(shown($0))'" }
                guard !missing.isEmpty else { continue }
                note(
                    """
                    '\(shown(workspace.path))' names \(missing.count == 1 ? "the project" : "projects") \
                    \(missing.listed(atMost: Limit.listed)), which \(missing.count == 1 ? "does" : "do") not exist, so only the code in \
                    the folder of this file is read
                    """,
                    in: &sources
                )
            }
            if let manifest = tuistManifest(around: plist.folder, sources.root) {
                note(
                    "'\(shown(manifest))' of Tuist is not read, so only the code in the folder of this file is read",
                    in: &sources
                )
            }
        }
        // A tool may write the Info.plist later, so its folder may not exist yet.
        if sources.files.isEmpty, FolderWalk.item(at: plist.folder) != nil || overlay.holds(plist) {
            addFiles(under: plist.folder, Set(bundles.map(\.folder)), to: &sources)
        }
        return sources
    }

    /// Whether there is a Tuist manifest in a folder around an Info.plist; it is not read, but may describe more of the
    /// app.
    ///
    /// - Parameter plist: the absolute path of the Info.plist.
    /// - Returns: whether there is such a manifest.
    package func hasUnreadManifest(around plist: String) -> Bool {
        tuistManifest(around: plist.folder, root(plist)) != nil
    }

    /// The path of the nearest manifest from which Tuist writes Xcode projects, in a folder or above it; nil if there
    /// is none.
    private func tuistManifest(around folder: String, _ root: ProjectRoot) -> String? {
        for folder in folders(from: folder, in: root) {
            for name in ["Project.swift", "Workspace.swift"] {
                let path = folder + "/" + name
                if UnreadManifest.isOfTuist(path, in: root) { return path }
            }
        }
        return nil
    }

    /// A folder and the folders above it in its project, innermost first.
    private func folders(from folder: String, in root: ProjectRoot) -> [String] {
        let key = FileKey(path: folder, root: root)
        if let known = projectFolders.withLock({ $0[key] }) { return known }
        var found: [String] = []
        if let resolved = try? root.resolve(folder) {
            let isLast = resolved == root.path || folder.folder == folder
            found = [folder] + (isLast ? [] : folders(from: folder.folder, in: root))
        }
        projectFolders.withLock { [found] in $0[key] = found }
        return found
    }

    /// Adds the files of a target, and the files of the targets and packages of the project that it is linked with.
    private func add(_ name: String, in project: XcodeProject, to sources: inout Sources) {
        guard !sources.visited.contains(name), let target = project.sources.targets[name] else { return }
        guard sources.targetCount < Limit.targets else {
            return note("the target depends on more than \(Limit.targets) targets", in: &sources)
        }
        sources.visited.insert(name)
        sources.targetCount += 1
        for gap in target.gaps { note(gap, in: &sources) }
        let listed = target.files.filter { Self.isCode($0) && !Self.namesOfFlutter.contains($0.fileName) }
        var found = listed.filter { !Self.isOfPods($0, in: sources.root) }
        if found.count < listed.count { sources.omitsFiles = true }
        for (folder, contents) in target.folders.sorted(by: { $0.key < $1.key }) {
            found += walk(folder, &sources) { contents.excludes($0, in: folder) }
                .filter { contents.includes($0, in: folder) }
        }
        for folder in Set(found.filter { $0.hasSuffix(".m") || $0.hasSuffix(".mm") }.map(\.folder)).sorted() {
            found += headers(in: folder, &sources)
        }
        let settings = project.targets.first { $0.name == name }?.configurations.map(\.settings) ?? []
        sources.modules.insert(name)
        sources.modules.formUnion(settings.map { $0.expand("$(PRODUCT_MODULE_NAME)") })
        // The bridging header imports the Objective-C code that a Swift target uses, so its imports belong to the
        // target too.
        found += Set(settings.compactMap { bridgingHeader(of: project, $0) }).sorted()
        sources.files += found
        sources.places.merge(target.places) { $1 }
        if sources.targetCount == 1 { sources.ownFiles = found }
        for dependency in target.dependencies {
            let kind = project.targets.first { $0.name == dependency }?.kind
            if kind == .other { add(dependency, in: project, to: &sources) }
        }
        addPackages(of: target, in: project, to: &sources)
    }

    private func bridgingHeader(of project: XcodeProject, _ settings: BuildSettings) -> String? {
        guard case .path(let path)? = project.path("SWIFT_OBJC_BRIDGING_HEADER", in: settings),
            FolderWalk.item(at: path) == .file
        else { return nil }
        return path
    }

    private func addPackages(of target: XcodeSources.Target, in project: XcodeProject, to sources: inout Sources) {
        let packages = Set(project.sources.packages).sorted()
        let products = Set(target.products).sorted()
        if packages.count > Limit.packages || products.count > Limit.products {
            note(
                "the project has more than \(Limit.packages) packages or \(Limit.products) of their products",
                in: &sources)
        }
        var found: Set<String> = []
        for package in packages.prefix(Limit.packages) where FolderWalk.item(at: package) == .folder {
            found.formUnion(addSources(of: Array(products.prefix(Limit.products)), in: package, to: &sources))
        }
        let wanted = products.prefix(Limit.products).filter { target.localProducts.contains($0) }
        addLocalPackages(with: wanted.filter { !found.contains($0) }, in: project, to: &sources)
    }

    /// Adds the sources of package products whose packages the project does not name.
    ///
    /// Xcode also finds packages among the folders in the project and in the workspace.
    private func addLocalPackages(with products: [String], in project: XcodeProject, to sources: inout Sources) {
        guard !products.isEmpty else { return }
        var rest = products
        let known = Set(project.sources.packages)
        let named = workspaces(around: project.folder, &sources).flatMap(\.packages)
        let folders = project.sources.folders + named
        for folder in Set(folders).subtracting(known).sorted() where !rest.isEmpty {
            guard FolderWalk.item(at: folder + "/" + PackageManifest.fileName) != nil else { continue }
            let found = addSources(of: rest, in: folder, to: &sources)
            rest.removeAll { found.contains($0) }
        }
        // A product whose package is not known may belong to a package that is not on disk, because projects sometimes
        // lose the reference.
        let isPackageMissing = known.union(named).contains { FolderWalk.item(at: $0) == nil }
        guard isPackageMissing || !project.sources.hasRemotePackages else { return }
        for product in rest where !Self.namesOfFlutter.contains(product) {
            note("the sources of the package product '\(product)' are not found", in: &sources)
        }
    }

    /// The workspaces in a folder and in the folders above it.
    ///
    /// A workspace that cannot be read is noted as a gap.
    private func workspaces(around folder: String, _ sources: inout Sources) -> [XcodeWorkspace] {
        let root = sources.root
        var found: [XcodeWorkspace] = []
        for folder in folders(from: folder, in: root) {
            var walk = FolderWalk(
                isWanted: { $0 == XcodeWorkspace.fileName },
                isExcluded: { $0.folder == folder && !$0.hasSuffix(".xcworkspace") },
                entryLimit: 10_000
            )
            for path in walk.files(under: folder) ?? [] where path.folder.folder == folder {
                _ = manifests.withLock { $0.insert(path) }
                guard let file = try? SourceFile(contentsOf: path, in: root),
                    let workspace = XcodeWorkspace(file, path: path.folder, names: root.names)
                else {
                    note(
                        "'\(shown(path))' cannot be read, so the projects and packages in it are not known",
                        in: &sources)
                    continue
                }
                found.append(workspace)
            }
        }
        return found
    }

    /// Adds the sources of the given products, as far as these belong to a package.
    ///
    /// - Returns: the names of the products that belong to the package.
    private func addSources(of products: [String], in package: String, to sources: inout Sources) -> Set<String> {
        let manifest = manifest(of: package, &sources)
        return Set(products.filter { addSources(of: $0, in: package, manifest, to: &sources) })
    }

    /// Adds the sources of a product of a package.
    ///
    /// - Returns: whether the package has the product.
    private func addSources(
        of product: String,
        in package: String,
        _ manifest: PackageManifest?,
        to sources: inout Sources
    ) -> Bool {
        let folder = package + "/Sources/" + product
        guard let targets = manifest?.targets(ofProduct: product) else {
            // If the manifest does not declare the product or cannot be read, a folder of sources or a package with the
            // product's name is used.
            let hasFolder = FolderWalk.item(at: folder) == .folder
            guard hasFolder || package.fileName == product else { return false }
            sources.files += walk(hasFolder ? folder : package + "/Sources", &sources)
            sources.modules.insert(product)
            return true
        }
        for target in targets {
            let places =
                target.path.map { [$0] } ?? ["Sources", "Source", "src", "srcs"].map { $0 + "/" + target.name }
            let folders = places.map { sources.onDisk(package + "/" + $0) }
            if let folder = folders.first(where: { FolderWalk.item(at: $0) == .folder }) {
                sources.files += walk(folder, &sources)
                sources.modules.insert(target.name)
            } else {
                note(
                    "the sources of the target '\(target.name)' of the package '\(shown(package))' are not found",
                    in: &sources
                )
            }
        }
        addPackages(ofProduct: product, manifest, in: package, to: &sources)
        return true
    }

    /// Adds the sources of the products of other packages on disk that a product of a package depends on.
    private func addPackages(
        ofProduct product: String,
        _ manifest: PackageManifest?,
        in package: String,
        to sources: inout Sources
    ) {
        guard let manifest, !manifest.packages.isEmpty else { return }
        guard sources.packageCount < Limit.packages else {
            return note("the packages depend on more than \(Limit.packages) others", in: &sources)
        }
        let names = manifest.names(outsideOfProduct: product)
        guard !names.isEmpty else { return }
        for path in Set(manifest.packages).sorted() {
            let folder = sources.onDisk(path.hasPrefix("/") ? path : package + "/" + path)
            let new = names.filter { sources.visited.insert(folder + ": " + $0).inserted }
            guard !new.isEmpty else { continue }
            sources.packageCount += 1
            guard FolderWalk.item(at: folder) == .folder else {
                note("the package '\(shown(folder))' is not found", in: &sources)
                continue
            }
            _ = addSources(of: new, in: folder, to: &sources)
        }
    }

    /// The manifest of a package; nil if it is missing or cannot be read, which is noted as a gap.
    private func manifest(of package: String, _ sources: inout Sources) -> PackageManifest? {
        let path = package + "/" + PackageManifest.fileName
        do throws(FileError) {
            let file = try overlay.file(at: path, shownAs: shown(path), in: sources.root)
            _ = manifests.withLock { $0.insert(path) }
            return PackageManifest(String(decoding: file.utf8, as: UTF8.self))
        } catch {
            if error.reason != .missing { note(reason(of: error), in: &sources) }
            return nil
        }
    }

    /// The names of the source files and the package product that Flutter generates before a build; they only register
    /// plugins.
    private static let namesOfFlutter: Set<String> = [
        "GeneratedPluginRegistrant.m", "GeneratedPluginRegistrant.swift", "FlutterGeneratedPluginSwiftPackage",
    ]

    private static func isCode(_ path: String) -> Bool {
        ParsedCode.extensions.contains { path.hasSuffix("." + $0) }
    }

    /// Whether a file is in a folder `Pods`, such as the list of an Expo app's modules that CocoaPods generates.
    ///
    /// Such a file is not read, like the code of pods.
    private static func isOfPods(_ path: String, in root: ProjectRoot) -> Bool {
        path.hasPrefix(root.path + "/") && path.dropFirst(root.path.count).split(separator: "/").contains("Pods")
    }

    private func addFiles(under folder: String, _ bundles: Set<String>, to sources: inout Sources) {
        sources.files += walk(folder, &sources) { $0 != folder && bundles.contains($0) }
    }

    private func walk(
        _ folder: String,
        _ sources: inout Sources,
        without isExcluded: @escaping (String) -> Bool = { _ in false }
    ) -> [String] {
        let unsaved = overlay.files(under: folder, isWanted: Self.isCode, isExcluded: isExcluded)
        do throws(FileError) {
            _ = try sources.root.resolve(folder)
        } catch {
            // The folder may exist only in the editor: unsaved texts will be saved in it.
            if error.reason == .missing, overlay.holdsFile(under: folder) { return unsaved }
            note("\(reason(of: error)), so it is not searched for code", in: &sources)
            return []
        }
        var walk = FolderWalk(isWanted: Self.isCode, isExcluded: isExcluded, entryLimit: 100_000)
        let files = walk.files(under: folder)
        if !walk.linkedFolders.isEmpty { sources.omitsFiles = true }
        let found = takeFiles(files, walk.unreadItems, folder, &sources)
        let known = Set(unsaved.isEmpty ? [] : found)
        return found + unsaved.filter { !known.contains($0) }
    }

    private func headers(in folder: String, _ sources: inout Sources) -> [String] {
        guard (try? sources.root.resolve(folder)) != nil else { return [] }
        var walk = FolderWalk(isWanted: { $0.hasSuffix(".h") }, entryLimit: 10_000)
        return takeFiles(walk.files(under: folder), walk.unreadItems, folder, &sources).filter { $0.folder == folder }
    }

    /// Returns the files that a search has found, and adds a gap for each folder that could not be searched.
    private func takeFiles(
        _ files: [String]?,
        _ gaps: [FolderWalk.UnreadItem],
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

    /// The code in the source files of a bundle.
    ///
    /// - Parameters:
    ///   - sources: the files.
    ///   - place: the declaration of the bundle, where findings about unreadable files are reported.
    /// - Returns: the code, which is read when it is needed; nil if there are neither files nor gaps.
    private func code(_ sources: Sources, at place: SourcePlace?) -> OnDemand<TargetCode>? {
        guard !sources.files.isEmpty || !sources.gaps.isEmpty else { return nil }
        let all = Set(sources.files)
        let paths = all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(Limit.files)
        let key = CodeKey(
            files: Array(paths),
            ownFiles: Set(sources.ownFiles),
            modules: sources.modules,
            entryPoint: sources.entryPoint,
            gaps: sources.gaps,
            omitsFiles: sources.omitsFiles,
            root: sources.root
        )
        let hasAllFiles = all.count <= Limit.files
        let (target, unlistedGaps, places) = (sources.name, sources.unlistedGaps, sources.places)
        return known.withLock { known in
            if let found = known[key] { return found }
            let code = OnDemand(making: { [self] in
                self.code(key, of: target, hasAllFiles: hasAllFiles, unlistedGaps: unlistedGaps, places, at: place)
            })
            known[key] = code
            return code
        }
    }

    private func code(
        _ key: CodeKey,
        of target: String,
        hasAllFiles: Bool,
        unlistedGaps: Int,
        _ places: [String: SourcePlace],
        at place: SourcePlace?
    ) -> TargetCode {
        let (units, unread) = parse(key.files, in: key.root)
        // A missing file is reported in the project that names it.
        let missing = unread.filter { $0.isMissing && places[$0.path] != nil }
        let unreadFiles = unread.filter { !$0.isMissing || places[$0.path] == nil }.map(\.why)
        let mayConcernPushes = key.entryPoint != nil || units.contains(where: \.mayConcernPushes)
        let targetFiles = Set(key.ownFiles.map(shown))
        var code =
            mayConcernPushes
            ? TargetCode(
                units, entryPoint: key.entryPoint, modules: key.modules, own: targetFiles.isEmpty ? nil : targetFiles)
            : TargetCode()
        var gaps = key.gaps
        for file in missing.prefix(Limit.gaps) {
            guard let named = places[file.path] else { continue }
            code.unknownReads.append(
                TargetCode.UnknownRead(
                    place: named, why: "a file of the target is not read: \(file.why)", target: place))
        }
        if !hasAllFiles { gaps.append("the target has more than \(Limit.files) files of code") }
        if unreadFiles.count == 1 {
            gaps.append("a file of the target is not read: \(unreadFiles[0])")
        } else if !unreadFiles.isEmpty {
            let first = unreadFiles.listed(atMost: Limit.listed)
            gaps.append("\(unreadFiles.count) files of the target are not read: \(first)")
        }
        code.mergeConflicts = units.compactMap(\.file.completeMergeConflict)
        if !code.mergeConflicts.isEmpty {
            gaps.append("a merge conflict is in \(code.mergeConflicts.map(\.file.path).listed(atMost: Limit.listed))")
        }
        // The names of types are needed only to find the principal classes of extensions.
        if gaps.isEmpty, missing.isEmpty, !key.omitsFiles, key.entryPoint != nil {
            code.typeNames = ParsedCode.typeNames(in: units)
            code.ownTypeNames = ParsedCode.typeNames(in: units.filter { targetFiles.contains($0.file.path) })
        }
        if code.isTooLarge { gaps.append("the code of '\(target)' is too large to analyse completely") }
        if let place = place ?? units.first.map({ SourcePlace(wholeFile: $0.file) }) {
            code.unknownReads += gaps.prefix(Limit.gaps).map { TargetCode.UnknownRead(place: place, why: $0) }
            let others = [gaps.count, missing.count].reduce(unlistedGaps) { $0 + Swift.max(0, $1 - Limit.gaps) }
            if others > 0 {
                let why = "\(others) more files or folders are not read, for reasons such as those reported before"
                code.unknownReads.append(TargetCode.UnknownRead(place: place, why: why))
            }
        }
        return code
    }

    /// Reads and parses files of a bundle.
    ///
    /// - Returns: the parsed files, and the reasons why the remaining files are not read.
    private func parse(_ paths: [String], in root: ProjectRoot) -> (units: [ParsedCode], unread: [Unread]) {
        // Sizes are added in the order of the paths, so the limit leaves out the same files in every run.
        var bytes = 0
        let isWithinLimit = paths.map { path in
            bytes += FileStatus(path: path).map { Int(clamping: $0.size) } ?? 0
            return bytes <= Limit.bytes
        }
        let files = paths.indices.map { index in
            OnDemand<Result<ParsedCode, Unread>>(making: { [self] in
                guard isWithinLimit[index] else {
                    return .failure(
                        Unread(path: paths[index], why: "the code of the target has more than \(Limit.bytes >> 20) MiB")
                    )
                }
                do throws(FileError) {
                    return .success(try code(at: paths[index], in: root))
                } catch {
                    return .failure(
                        Unread(path: paths[index], why: reason(of: error), isMissing: error.reason == .missing))
                }
            })
        }
        var units: [ParsedCode] = []
        var unread: [Unread] = []
        for file in OnDemand.values(files) {
            switch file {
            case .success(let unit): units.append(unit)
            case .failure(let reason): unread.append(reason)
            }
        }
        return (units, unread)
    }

    /// The parsed code in a file.
    ///
    /// A file is parsed once for all bundles, but each bundle's root must allow reading it.
    private func code(at path: String, in root: ProjectRoot) throws(FileError) -> ParsedCode {
        if let known = parsed.withLock({ $0[path] }) {
            try overlay.check(path, in: root)
            return known.value
        }
        let file = try overlay.file(at: path, shownAs: shown(path), in: root)
        let code = parsed.withLock { parsed in
            if let known = parsed[path] { return known }
            let code = OnDemand(making: { ParsedCode(file) })
            parsed[path] = code
            return code
        }
        return code.value
    }

    /// A file that is not read, and the reason.
    private struct Unread: Error {
        let path: String
        let why: String
        var isMissing = false
    }
}

extension XcodeProject {
    /// Whether one of the project's targets that is neither an app nor an extension, such as a framework, builds a
    /// module with this name.
    fileprivate func buildsLibrary(ofModule name: String) -> Bool {
        targets.contains { target in
            guard target.kind == .other else { return false }
            return target.name == name
                || target.configurations.contains { $0.settings.expand("$(PRODUCT_MODULE_NAME)") == name }
        }
    }
}

extension App.Extension {
    fileprivate var entryPoint: TargetCode.EntryPoint? {
        switch kind {
        case .content: .content
        case .service: .service
        case .other: nil
        }
    }
}

extension [App] {
    /// The findings about merge conflicts in the code of the apps and their extensions.
    package var conflictsInCode: [Diagnostic] {
        var known: Set<String> = []
        return flatMap(\.codes).flatMap(\.mergeConflicts).filter { known.insert($0.file.path).inserted }.map {
            Diagnostic(.conflictInCode, at: $0)
        }
    }
}
