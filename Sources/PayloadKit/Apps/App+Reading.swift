// SPDX-License-Identifier: MIT

public import AppBundles
import Files
import PropertyLists
import SourceText

extension App {
    /// Reads what an app declares: from a folder, or from the JSON that ``json(relativeTo:)`` wrote.
    ///
    /// All Info.plists with an extension or an app in them and all `*.entitlements` under the folder belong to the one
    /// app, nested ones too. Build settings in them are replaced as an Xcode project in the folder tells, and the pairs
    /// that an extension reads come from a `payloadgen.extras.yml` beside its Info.plist. Hidden folders, `Pods`,
    /// `DerivedData` and symbolic links to folders are not entered.
    ///
    /// - Throws: `AppError` when the path is missing, when nothing in the folder declares an app or an extension, or when
    ///   a file that does so cannot be read.
    public init(contentsOf path: String) throws(AppError) {
        switch FolderWalk.item(at: path) {
        case .folder: try self.init(folder: path)
        case .file: try self.init(json: try Self.file(path))
        case nil: throw AppError(.missing, [.appFolder("no folder or file '\(path)'")])
        case .other: throw AppError(.unreadable, [.appFolder("'\(path)' is no folder and no file")])
        }
    }

    /// Reads the app that property lists and entitlements together declare.
    ///
    /// - Throws: `AppError` when a file is missing or is no property list.
    public init(plists paths: [String]) throws(AppError) {
        var documents: [PlistDocument] = []
        for path in paths { documents.append(PlistDocument(try Self.file(path))) }
        try Self.check(documents)
        self.init(name: paths.joined(separator: ", "), documents: documents)
        try readExtrasOnDisk()
    }

    /// Reads the app that a target of an Xcode project builds for releases.
    ///
    /// - Parameters:
    ///   - path: the `.xcodeproj`.
    ///   - name: the target; nil for the only application.
    /// - Throws: `AppError` where there is no such target, or where the project cannot be read.
    public init(project path: String, target name: String? = nil) throws(AppError) {
        let file = try Self.file(FolderWalk.path(XcodeProject.fileName, in: path))
        let folder = path.absolutePath.standardizedPath.folder
        guard let project = XcodeProject(PlistDocument(file), folder: folder, read: { try? Self.file($0) }) else {
            throw AppError(.unreadable, [.appFolder("'\(path)' cannot be read as an Xcode project")])
        }
        let targets = project.applications.filter { name == nil || project.targets[$0].name == name }
        guard targets.count == 1, let configuration = project.releaseConfiguration(of: targets[0]) else {
            let names = project.applications.map { "'\(project.targets[$0].name)'" }.joined(separator: ", ")
            let wanted = name.map { "no application '\($0)'" } ?? "not exactly one application"
            throw AppError(
                .unreadable,
                [.appFolder("\(wanted) in '\(path)', which has \(names.isEmpty ? "none" : names)")]
            )
        }
        let shown = String.workingFolder + "/"
        self = project.app(targets[0], in: configuration) { path in
            (try? Self.file(path.hasPrefix(shown) ? String(path.dropFirst(shown.count)) : path)).map(PlistDocument.init)
        }
        try readExtrasOnDisk()
    }

    private init(folder: String) throws(AppError) {
        var walk = FolderWalk(isWanted: { name in
            name.hasSuffix(".plist") || name.hasSuffix(".entitlements") || name == XcodeProject.fileName
        })
        guard let paths = walk.files(under: folder) else {
            throw AppError(.unreadable, [.appFolder("the folder '\(folder)' cannot be read")])
        }
        var documents: [PlistDocument] = []
        var projects: [XcodeProject] = []
        for path in paths {
            let document = PlistDocument(try Self.file(path))
            if path.fileName == XcodeProject.fileName {
                let root = path.absolutePath.standardizedPath.folder.folder
                XcodeProject(document, folder: root) { try? Self.file($0) }.map { projects.append($0) }
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
            throw AppError(
                .unreadable,
                [.appFolder("no Info.plist under '\(folder)' declares an app or an extension")]
            )
        }
        try readExtrasOnDisk()
    }

    private mutating func readExtrasOnDisk() throws(AppError) {
        let faults = readExtras { try? Self.file($0) }
        guard faults.isEmpty else { throw AppError(.unreadable, faults) }
    }

    private static func check(_ documents: [PlistDocument]) throws(AppError) {
        let faults = documents.filter(\.isBroken).flatMap { $0.diagnostics.filter { $0.severity == .error } }
        guard faults.isEmpty else { throw AppError(.unreadable, faults) }
    }

    private static func file(_ path: String) throws(AppError) -> SourceFile {
        guard let item = FolderWalk.item(at: path) else { throw AppError(.missing, [.appFolder("no file '\(path)'")]) }
        guard item == .file, let bytes = FolderWalk.bytes(of: path) else {
            throw AppError(.unreadable, [.appFolder("the file '\(path)' cannot be read")])
        }
        return SourceFile(path: path, bytes: bytes)
    }
}

extension Diagnostic {
    fileprivate static func appFolder(_ message: String) -> Diagnostic {
        Diagnostic(rule: "app-not-found", severity: .error, message: message, at: nil)
    }
}

extension PlistDocument {
    /// Whether a list that was found in a folder says anything about the app.
    ///
    /// A broken one does when it is named like an
    /// Info.plist or names an extension.
    fileprivate var isRelevant: Bool {
        guard isBroken else { return BundlePlist(self).role != .other }
        if file.path.hasSuffix("Info.plist") || file.path.hasSuffix(".entitlements") { return true }
        return String(decoding: file.utf8, as: UTF8.self).contains(BundleKey.extensionDictionary)
    }
}
