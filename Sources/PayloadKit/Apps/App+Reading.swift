// SPDX-License-Identifier: MIT

public import AppBundles
import Files
import PropertyLists
public import SourceText

extension App {
    /// Reads what an app declares: from a folder, or from the JSON that ``json(relativeTo:)`` wrote.
    ///
    /// All Info.plists of apps and extensions and all `*.entitlements` in the folder and below belong to the one app.
    /// Build settings in them are replaced by those of an Xcode project in the folder. The key-value pairs that an
    /// extension reads come from a `payloadgen.extras.yml` beside its Info.plist. Hidden folders, `Pods`,
    /// `DerivedData`, `Carthage` and symbolic links to folders are not entered, and nothing outside the project is
    /// read. The project is the nearest folder, from the given one upwards, that has `.payloadgen.yml` or `.git`.
    ///
    /// - Throws: `InputError` when the path is missing, when nothing in the folder declares an app or an extension, or
    ///   when a file that does, or that an Xcode project names, cannot be read or is outside the project.
    public init(contentsOf path: String) throws(InputError) {
        switch FolderWalk.item(at: path) {
        case .folder: try self.init(folder: path)
        case .file: try self.init(json: try Self.file(path))
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

    /// Reads the app that a target of an Xcode project builds for releases.
    ///
    /// - Parameters:
    ///   - path: the `.xcodeproj`.
    ///   - name: the target; nil for the only application.
    /// - Throws: `InputError` where the target is missing, or where the project cannot be read.
    public init(project path: String, target name: String? = nil) throws(InputError) {
        let file = try Self.file(FolderWalk.path(XcodeProject.fileName, in: path))
        let root = ProjectRoot(of: file.path)
        let folder = path.absolutePath.standardizedPath.folder
        let read = root.reader(shown: Self.shown)
        guard let project = XcodeProject(PlistDocument(file), folder: folder, read: read) else {
            throw InputError(.invalid, [.appFolder("'\(path)' cannot be read as an Xcode project")])
        }
        guard project.diagnostics.isEmpty else { throw InputError(.invalid, project.diagnostics) }
        let targets = project.applications.filter { name == nil || project.targets[$0].name == name }
        guard targets.count == 1, let configuration = project.releaseConfiguration(of: targets[0]) else {
            let names = project.applications.map { "'\(project.targets[$0].name)'" }.joined(separator: ", ")
            let wanted = name.map { "no application '\($0)'" } ?? "expected one application"
            throw InputError(
                .invalid,
                [.appFolder("\(wanted) in '\(path)', which has \(names.isEmpty ? "none" : names)")]
            )
        }
        var lists: [String: BundlePlist] = [:]
        var unread: [Diagnostic] = []
        for list in project.lists(of: targets[0]).sorted() {
            do throws(FileError) {
                lists[list] = try read(list).map { BundlePlist(PlistDocument($0)) }
            } catch {
                unread.append(Diagnostic(.unread(Self.shown(list), error), at: project.targets[targets[0]].place))
            }
        }
        guard unread.isEmpty else { throw InputError(.invalid, unread) }
        self = project.app(targets[0], in: configuration) { lists[$0] }
        try readExtrasOnDisk()
        readCode([project], bundles: project.uses.keys)
    }

    private init(folder: String) throws(InputError) {
        var walk = FolderWalk(isWanted: { name in
            name.hasSuffix(".plist") || name.hasSuffix(".entitlements") || name == XcodeProject.fileName
        })
        guard let paths = walk.files(under: folder) else {
            throw InputError(.invalid, [.appFolder("the folder '\(folder)' cannot be read")])
        }
        guard walk.gaps.isEmpty else {
            let gaps = walk.gaps.map { Diagnostic.appFolder("the folder '\($0.path)' is not read: \($0.reason)") }
            throw InputError(.invalid, gaps)
        }
        var documents: [PlistDocument] = []
        var projects: [XcodeProject] = []
        for path in paths {
            let root = ProjectRoot(of: path)
            let document = PlistDocument(try Self.file(path, in: root))
            if path.fileName == XcodeProject.fileName {
                let folder = path.absolutePath.standardizedPath.folder.folder
                let project = XcodeProject(document, folder: folder, read: root.reader(shown: Self.shown))
                guard let project else { continue }
                guard project.diagnostics.isEmpty else { throw InputError(.invalid, project.diagnostics) }
                projects.append(project)
            } else if document.isRelevant {
                documents.append(document)
            }
        }
        try Self.check(documents)
        let applications = projects.flatMap { project in project.applications.map { project.targets[$0].name } }
        let settings = projects.reduce(into: [:]) { settings, project in
            settings.merge(project.settingsByList { $0 == project.defaultConfiguration }) { first, _ in first }
        }
        self.init(
            name: applications.count == 1 ? applications[0] : folder.absolutePath.standardizedPath.fileName,
            documents: documents,
            settings: { settings[$0.absolutePath.standardizedPath]?.first }
        )
        guard place != nil || !extensions.isEmpty else {
            throw InputError(
                .invalid,
                [.appFolder("no Info.plist under '\(folder)' declares an app or an extension")]
            )
        }
        try readExtrasOnDisk()
        readCode(
            projects, bundles: documents.lazy.filter { $0.file.path.hasSuffix(".plist") }.map(\.file.path.absolutePath))
    }

    /// Adds what the code of the app and its extensions reads.
    private mutating func readCode(_ projects: [XcodeProject], bundles: some Sequence<String>) {
        let code = AppCode(root: { ProjectRoot(of: $0) }, shown: Self.shown)
        code.read(
            &self,
            projects: projects,
            bundles: Set(bundles.map(\.standardizedPath)),
            absolute: { $0.absolutePath.standardizedPath }
        )
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

    private static func check(_ documents: [PlistDocument]) throws(InputError) {
        let faults = documents.filter(\.isBroken).flatMap { $0.diagnostics.filter { $0.severity == .error } }
        guard faults.isEmpty else { throw InputError(.invalid, faults) }
    }

    /// Reads a file; a file that a project names has to be inside the project's root.
    private static func file(_ path: String, in root: ProjectRoot? = nil) throws(InputError) -> SourceFile {
        do throws(FileError) {
            return try SourceFile(contentsOf: path, in: root)
        } catch {
            if error.reason == .missing { throw InputError(.missing, [.appFolder("no file '\(path)'")]) }
            throw InputError(.invalid, [.appFolder("'\(path)' is not read: \(error.explanation)")])
        }
    }

    /// An absolute path as messages show it: relative to the working folder if it is inside that.
    private static func shown(_ path: String) -> String {
        let prefix = String.workingFolder + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
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
