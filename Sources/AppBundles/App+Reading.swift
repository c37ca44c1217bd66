// SPDX-License-Identifier: MIT

import PropertyLists
import SourceText

extension App {
    /// Reads what the app in a folder declares.
    ///
    /// All Info.plists with an extension or an app in them and all `*.entitlements` under the folder belong to the one
    /// app, nested ones too. Hidden folders, `Pods`, `DerivedData`, Xcode projects and symbolic links to folders are not
    /// entered.
    ///
    /// - Throws: ``AppError`` when the folder is missing, when nothing in it declares an app or an extension, or when a
    ///   list that does so cannot be read as a property list.
    public init(contentsOf folder: String) throws(AppError) {
        switch FolderWalk.item(at: folder) {
        case .folder: break
        case nil: throw AppError(.missing, [.appFolder("no folder '\(folder)'")])
        default: throw AppError(.unreadable, [.appFolder("'\(folder)' is no folder")])
        }
        var walk = FolderWalk(isWanted: { $0.hasSuffix(".plist") || $0.hasSuffix(".entitlements") })
        guard let paths = walk.files(under: folder) else {
            throw AppError(.unreadable, [.appFolder("the folder '\(folder)' cannot be read")])
        }
        var documents: [PlistDocument] = []
        for path in paths {
            let document = try PlistDocument(path: path)
            if document.isRelevant { documents.append(document) }
        }
        try self.init(checking: documents, name: folder)
        guard place != nil || !extensions.isEmpty else {
            throw AppError(
                .unreadable,
                [.appFolder("no Info.plist under '\(folder)' declares an app or an extension")]
            )
        }
    }

    /// Reads the app that property lists and entitlements together declare.
    ///
    /// - Throws: ``AppError`` when a file is missing or is no property list.
    public init(plists paths: [String]) throws(AppError) {
        var documents: [PlistDocument] = []
        for path in paths { documents.append(try PlistDocument(path: path)) }
        try self.init(checking: documents, name: paths.joined(separator: ", "))
    }

    private init(checking documents: [PlistDocument], name: String) throws(AppError) {
        let faults = documents.filter(\.isBroken).flatMap { $0.diagnostics.filter { $0.severity == .error } }
        guard faults.isEmpty else { throw AppError(.unreadable, faults) }
        self.init(name: name, documents: documents)
    }
}

extension Diagnostic {
    fileprivate static func appFolder(_ message: String) -> Diagnostic {
        Diagnostic(rule: "app-not-found", severity: .error, message: message, at: nil)
    }
}

extension PlistDocument {
    fileprivate init(path: String) throws(AppError) {
        guard FolderWalk.item(at: path) != nil else {
            throw AppError(.missing, [.appFolder("no file '\(path)'")])
        }
        guard FolderWalk.item(at: path) == .file, let bytes = FolderWalk.bytes(of: path) else {
            throw AppError(.unreadable, [.appFolder("the file '\(path)' cannot be read")])
        }
        self.init(SourceFile(path: path, bytes: bytes))
    }

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
