// SPDX-License-Identifier: MIT

public import AppBundles
import Files
import PropertyLists
public import SourceText

extension App {
    /// Reads what an app declares: from a folder, a `.xcodeproj`, or the JSON that ``json(relativeTo:)`` wrote.
    ///
    /// A folder is one app. If targets of Xcode projects in it build apps for iOS, the app is such a target, in its
    /// configuration for releases, with the extensions that it embeds; otherwise all Info.plists and `*.entitlements`
    /// in the folder and below belong to the app. The key-value pairs that an extension reads come from a
    /// `payloadgen.extras.yml` beside its Info.plist. Hidden folders, `Pods`, `DerivedData`, `Carthage` and symbolic
    /// links to folders are not entered, and nothing outside the project is read. The project is the nearest folder,
    /// from the given one upwards, that has `.payloadgen.yml` or `.git`.
    ///
    /// - Parameters:
    ///   - path: the folder, the project or the file.
    ///   - target: the name of the app, where there are several; nil for the only one.
    /// - Throws: `InputError` when the path is missing, when nothing there declares an app or an extension, when a file
    ///   that does, or that an Xcode project names, cannot be read or is outside the project, and (`ambiguous`) when
    ///   there are several apps, or none with the name.
    public init(contentsOf path: String, target: String? = nil) throws(InputError) {
        let reading = try Self.reading(contentsOf: path, target: target)
        guard reading.app.unread.isEmpty else { throw InputError(.invalid, reading.app.unread) }
        self = reading.app
    }

    /// An app, and the findings about what was read for it.
    package struct Reading: Sendable {
        /// The app.
        package var app: App

        /// The findings that do not change the app, such as a path in another case than on disk.
        package var notes: [Diagnostic] = []
    }

    /// Reads an app as ``init(contentsOf:target:)`` does, also where a property list that a target names is not read.
    package static func reading(contentsOf path: String, target: String? = nil) throws(InputError) -> Reading {
        switch FolderWalk.item(at: path) {
        case .folder: return try reading(folder: path, target: target)
        case .file:
            let app = try App(json: try file(path))
            if let target, !app.isCalled(target) { throw selection(of: target, from: [app], in: path) }
            return Reading(app: app)
        case nil: throw InputError(.missing, [.appFolder("no folder or file '\(path)'")])
        case .other: throw InputError(.invalid, [.appFolder("'\(path)' is neither a folder nor a file")])
        }
    }

    /// Reads the app that several property lists and entitlements declare together.
    ///
    /// - Throws: `InputError` when a file is missing or is not a property list.
    public init(plists paths: [String]) throws(InputError) {
        var documents: [PlistDocument] = []
        for path in paths { documents.append(PlistDocument(try Self.file(path))) }
        try Self.check(documents)
        self.init(name: paths.joined(separator: ", "), documents: documents)
        try readExtrasOnDisk()
    }

    /// Reads the app that files in memory together declare: Info.plists, entitlements and `payloadgen.extras.yml`.
    ///
    /// As on disk, the paths decide which entitlements and which key-value pairs belong to which Info.plist. Nothing is
    /// read from disk, and build settings stay as they are written.
    ///
    /// - Parameters:
    ///   - files: the files, with the paths that findings show, such as `Lab/Info.plist`.
    ///   - name: what messages call the app.
    /// - Throws: `InputError` when a file is not what its name says, or when none declares an app or an extension.
    public init(files: [SourceFile], name: String) throws(InputError) {
        var extras: [String: SourceFile] = [:]
        var documents: [PlistDocument] = []
        for file in files.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
            if file.path.fileName == Self.extrasFileName {
                extras[file.path.standardizedPath] = file
            } else {
                documents.append(PlistDocument(file))
            }
        }
        try Self.check(documents)
        self.init(name: name, documents: documents)
        guard place != nil || !extensions.isEmpty else {
            throw InputError(.invalid, [.appFolder("none of the files of '\(name)' declares an app or an extension")])
        }
        let faults = readExtras { extras[$0.standardizedPath] }
        guard faults.isEmpty else { throw InputError(.invalid, faults) }
    }

    private static func reading(folder: String, target: String?) throws(InputError) -> Reading {
        let reading = try AppFolder(folder)
        var budget = AppBudget()
        let found = reading.project.apps(in: folder.absolutePath.standardizedPath, &budget)
        guard budget.diagnostics.isEmpty else { throw InputError(.invalid, budget.diagnostics) }
        guard !found.isEmpty else {
            throw InputError(.invalid, [.appFolder("no target in '\(folder)' builds an app")])
        }
        let wanted = target.map { name in found.filter { $0.app.isCalled(name) } } ?? found
        guard wanted.count == 1 else { throw selection(of: target, from: found.map(\.app), in: folder) }
        var app = wanted[0].app
        guard !app.isEmpty else {
            guard app.unread.isEmpty else { throw InputError(.invalid, app.unread) }
            throw nothing(in: folder, reading.unreadManifest)
        }
        try app.readExtrasOnDisk()
        let ofProjects = reading.project.projects.filter { !wanted[0].lists.isDisjoint(with: $0.project.uses.keys) }
        let documents = wanted[0].lists.sorted().compactMap { reading.project.list($0)?.document }
        let ofLists = documents.flatMap(\.diagnostics).filter { $0.rule == .plistPreprocessed }
        return Reading(
            app: app,
            notes: ofProjects.flatMap(\.project.diagnostics).filter { $0.severity > .info } + ofLists
                + app.unembedded.map { $0.finding(in: app.name) }
        )
    }

    /// Whether nothing declares it, as far as is known.
    package var isEmpty: Bool { place == nil && extensions.isEmpty && !mayHaveMore }

    /// The error of a folder in which nothing declares an app.
    ///
    /// - Parameters:
    ///   - folder: the folder, for messages.
    ///   - manifest: the manifest that may declare one and is not read.
    /// - Returns: the error.
    package static func nothing(in folder: String, _ manifest: UnreadManifest? = nil) -> InputError {
        let isWorkspace = folder.hasSuffix(".xcworkspace") || folder.hasSuffix(".xcworkspace/")
        let reason =
            isWorkspace
            ? "; expected the folder of the workspace, or an .xcodeproj" : manifest.map { "; \($0.explanation)" } ?? ""
        let message = "no Info.plist under '\(folder)' declares an app or an extension\(reason)"
        return InputError(.invalid, [.appFolder(message)])
    }

    /// The error of a name that selects no app, or of several apps and no name.
    package static func selection(of target: String?, from apps: [App], in path: String) -> InputError {
        let names = apps.map(\.name)
        let listed = names.prefix(20).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        guard let target else {
            return InputError(
                .ambiguous, [.appFolder("'\(path)' has \(apps.count) apps, expected --target with one of \(listed)")])
        }
        let near = nearestName(to: target, in: names).map { ", did you mean '\($0)'?" }
        let message = "no app '\(target)' in '\(path)'\(near ?? ", which has \(names.isEmpty ? "none" : listed)")"
        return InputError(.ambiguous, [.appFolder(message)])
    }

    private mutating func readExtrasOnDisk() throws(InputError) {
        var unread: [Diagnostic] = []
        let faults = readExtras { path in
            do throws(FileError) {
                return try SourceFile(contentsOf: path, in: ProjectRoot(of: path))
            } catch {
                if error.reason != .missing { unread.append(.appFolder("'\(path)' is not read: \(error.explanation)")) }
                return nil
            }
        }
        guard faults.isEmpty, unread.isEmpty else { throw InputError(.invalid, faults + unread) }
    }

    fileprivate static func check(_ documents: [PlistDocument]) throws(InputError) {
        let faults = documents.filter(\.isBroken).flatMap { $0.diagnostics.filter { $0.severity == .error } }
        guard faults.isEmpty else { throw InputError(.invalid, faults) }
    }

    /// Reads a file; a file that a project names has to be inside the project's root.
    fileprivate static func file(_ path: String, in root: ProjectRoot? = nil) throws(InputError) -> SourceFile {
        do throws(FileError) {
            return try SourceFile(contentsOf: path, in: root)
        } catch {
            if error.reason == .missing { throw InputError(.missing, [.appFolder("no file '\(path)'")]) }
            throw InputError(.invalid, [.appFolder("'\(path)' is not read: \(error.explanation)")])
        }
    }

    /// An absolute path as messages show it: relative to the working folder if it is inside that.
    fileprivate static func shown(_ path: String) -> String {
        path.path(relativeTo: .workingFolder) ?? path
    }
}

/// The files of a folder or of a `.xcodeproj` from which apps are read.
private struct AppFolder {
    /// The apps in the files.
    let project: AppProject

    private let folder: String

    /// The first manifest in the folder that may declare an app and is not read.
    var unreadManifest: UnreadManifest? {
        let absolute = folder.absolutePath.standardizedPath
        let root = ProjectRoot(around: absolute, searched: [absolute])
        return UnreadManifest(under: absolute, in: root, shown: App.shown)
    }

    /// Reads the files.
    ///
    /// - Throws: `InputError` when the folder, or an Xcode project in it, cannot be read.
    init(_ folder: String) throws(InputError) {
        self.folder = folder
        var documents: [String: BundlePlist] = [:]
        var projects: [(path: String, project: XcodeProject)] = []
        let isProject = folder.standardizedPath.hasSuffix(".xcodeproj")
        let searched = [folder.absolutePath.standardizedPath].map { isProject ? $0.folder : $0 }
        for path in try Self.paths(in: folder) {
            let root = ProjectRoot(of: path, searched: searched)
            let absolute = path.absolutePath.standardizedPath
            if path.fileName == XcodeProject.specFileName {
                if let project = try Self.generatedProject(at: absolute, path, root) {
                    projects.append((absolute, project))
                }
                continue
            }
            let document = PlistDocument(try App.file(path, in: root))
            if path.fileName == XcodeProject.fileName {
                projects.append((absolute, try Self.project(document, at: absolute, root)))
            } else if document.isRelevant {
                documents[absolute] = BundlePlist(document)
            }
        }
        var unread: [String: [Diagnostic]] = [:]
        for (path, project) in projects {
            let root = ProjectRoot(of: path, searched: searched)
            var named = NamedFiles(root, scriptOutputs: project.scriptOutputs, shown: App.shown)
            for target in project.targets {
                for list in target.lists where documents[list] == nil {
                    let finding: Diagnostic
                    do throws(FileError) {
                        if let file = try root.reader(shown: App.shown)(list) {
                            documents[list] = BundlePlist(PlistDocument(file))
                            continue
                        }
                        let setting = target.settingsOfLists[list] ?? XcodeProject.fileName
                        let isMade = target.madeLists.contains(list)
                        finding = named.finding(list, namedBy: setting, isMade: isMade, at: target.place)
                    } catch {
                        finding = Diagnostic(.unread(App.shown(list), error), at: target.place)
                    }
                    if finding.severity == .error, target.mayBeForPushes { unread[list] = [finding] }
                }
            }
        }
        for list in projects.reduce(into: Set<String>(), { $0.formUnion($1.project.preprocessedLists) }) {
            documents[list] = documents[list].map { BundlePlist($0.document.preprocessed) }
        }
        project = AppProject(
            lists: documents.map { AppProject.List(path: $0.key, plist: $0.value) },
            projects: projects,
            extras: [:],
            unread: unread,
            roots: searched,
            code: AppCode(root: { ProjectRoot(of: $0, searched: searched) }, shown: App.shown),
            shown: App.shown,
            absolute: { $0.absolutePath.standardizedPath }
        )
    }

    private static func paths(in folder: String) throws(InputError) -> [String] {
        if folder.standardizedPath.hasSuffix(".xcodeproj") {
            return [FolderWalk.path(XcodeProject.fileName, in: folder)]
        }
        var walk = FolderWalk(isWanted: { name in
            name.hasSuffix(".plist") || name.hasSuffix(".entitlements") || name == XcodeProject.fileName
                || name == XcodeProject.specFileName
        })
        guard let paths = walk.files(under: folder) else {
            throw InputError(.invalid, [.appFolder("the folder '\(folder)' cannot be read")])
        }
        guard walk.gaps.isEmpty else {
            let gaps = walk.gaps.map { Diagnostic.appFolder("the folder '\($0.path)' is not read: \($0.reason)") }
            throw InputError(.invalid, gaps)
        }
        return paths
    }

    /// The project that XcodeGen would write for a `project.yml`; nil where it would not.
    private static func generatedProject(
        at path: String,
        _ shown: String,
        _ root: ProjectRoot
    ) throws(InputError) -> XcodeProject? {
        let file = try App.file(shown, in: root)
        let read = root.reader(shown: App.shown)
        let project = try XcodeProject.generated(from: file, at: path, in: root, shown: App.shown, read: read)
        if let project { try check(project) }
        return project
    }

    private static func project(
        _ document: PlistDocument,
        at path: String,
        _ root: ProjectRoot
    ) throws(InputError) -> XcodeProject {
        let read = root.reader(shown: App.shown)
        guard
            let project = XcodeProject(
                document, folder: path.folder.folder, shown: App.shown, names: root.names, read: read)
        else {
            let conflict = XcodeProject.mergeConflict(in: document.file)
            if conflict == nil { try App.check([document]) }
            let reason = conflict == nil ? "it is not an Xcode project" : "it has a merge conflict here"
            let place = conflict ?? SourcePlace(document.file, SourceRange(0, 0))
            throw InputError(.invalid, [Diagnostic(.unread(reason), at: place)])
        }
        try check(project)
        return project
    }

    private static func check(_ project: XcodeProject) throws(InputError) {
        // A file that is named in another case is read all the same.
        let errors = project.diagnostics.filter { $0.severity == .error && $0.rule != .missingFile }
        guard errors.isEmpty else { throw InputError(.invalid, errors) }
    }
}

extension Diagnostic {
    fileprivate static func appFolder(_ message: String) -> Diagnostic {
        Diagnostic(.appNotFound, message, at: nil)
    }
}

extension PlistDocument {
    /// Whether a list that was found in a folder may declare something of the app.
    ///
    /// A broken list is relevant if it has the name of an Info.plist or of entitlements, or the key of an extension.
    fileprivate var isRelevant: Bool {
        guard isBroken else { return BundlePlist(self).role != .other }
        if file.path.hasSuffix("Info.plist") || file.path.hasSuffix(".entitlements") { return true }
        return String(decoding: file.utf8, as: UTF8.self).contains(BundleKey.extensionDictionary)
    }
}
