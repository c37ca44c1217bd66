// SPDX-License-Identifier: MIT

package import AppBundles
public import AppDeclarations
public import DiagnosticSources
import POSIXFiles

extension App {
    /// Reads what an app declares: from a folder, a `.xcodeproj`, or the JSON that ``json(relativeTo:)`` wrote.
    ///
    /// A folder is read as one app. If targets of Xcode projects in it build apps for iOS, the app is such a target in
    /// its release configuration, with the extensions that it embeds. Otherwise, all Info.plists and `*.entitlements`
    /// in the folder and its subfolders belong to the app. The key-value pairs that an extension reads come from a
    /// `payloadgen.extras.yml` beside its Info.plist. Hidden folders, `Pods`, `DerivedData`, `Carthage`, `node_modules`
    /// and symbolic links to folders are not entered, and nothing outside the project is read. The project is the
    /// nearest folder, from the given one upwards, that has `.payloadgen.yml` or `.git`.
    ///
    /// - Parameters:
    ///   - path: the folder, the project or the file.
    ///   - target: the name of the app, where there are several; nil for the only one.
    /// - Throws: `InputError` if the path is missing; if nothing there declares an app or an extension; if a file that
    ///   declares one, or that an Xcode project names, cannot be read or is outside the project; and (`ambiguous`) if
    ///   there are several apps, or none with the name.
    public init(contentsOf path: String, target: String? = nil) throws(InputError) {
        let app = try NamedApp(path, target: target).app
        guard app.unread.isEmpty else { throw InputError(.invalid, app.unread) }
        self = app
    }

    /// Reads an app from a file that `payloadgen app` wrote.
    init(contentsOfFile path: String, target: String?) throws(InputError) {
        switch FolderWalk.item(at: path) {
        case .file: self = try App(json: try Self.file(path))
        case nil: throw InputError(.missing, [.appFolder("no folder or file '\(path)'")])
        case .folder, .other: throw InputError(.invalid, [.appFolder("'\(path)' is neither a folder nor a file")])
        }
        if let target, !isCalled(target) { throw Self.selection(of: target, from: [self], in: path) }
    }

    /// Reads the app that several property lists and entitlements declare together, without its code.
    ///
    /// - Throws: `InputError` when a file is missing or is not a property list.
    public init(plists paths: [String]) throws(InputError) {
        var options = ProjectOptions()
        options.readsOnlyApp = true
        self = try NamedApp(plists: paths, options).app
    }

    /// Reads the app that files in memory together declare: Info.plists, entitlements and `payloadgen.extras.yml`.
    ///
    /// As on disk, the paths decide which entitlements and which key-value pairs belong to which Info.plist. Nothing is
    /// read from disk, and build settings stay as they are written.
    ///
    /// - Parameters:
    ///   - files: the files, with the paths that findings show, such as `Lab/Info.plist`.
    ///   - name: the name of the app in messages.
    /// - Throws: `InputError` when a file is not what its name says, or when none declares an app or an extension.
    public init(files: [SourceFile], name: String) throws(InputError) {
        let model = AppModel(inMemory: files)
        self = try model.app(named: name, of: model.lists).app
        guard place != nil || !extensions.isEmpty else {
            throw InputError(.invalid, [.appFolder("none of the files of '\(name)' declares an app or an extension")])
        }
    }

    /// Whether nothing declares the app, and no unread file may declare it.
    package var isEmpty: Bool { place == nil && extensions.isEmpty && !mayHaveMore }

    /// The error for a folder in which nothing declares an app.
    ///
    /// - Parameters:
    ///   - folder: the folder, for messages.
    ///   - manifest: a manifest that may declare an app but is not read; nil if there is none.
    /// - Returns: the error.
    package static func nothing(in folder: String, _ manifest: UnreadManifest? = nil) -> InputError {
        let isWorkspace = folder.hasSuffix(".xcworkspace") || folder.hasSuffix(".xcworkspace/")
        let expected =
            isWorkspace
            ? "expected the folder of the workspace, or an .xcodeproj"
            : "expected the folder of an app, an .xcodeproj, or an app.json that 'payloadgen app' has written"
        let reason = isWorkspace ? expected : manifest?.explanation ?? expected
        let message = "no Info.plist and no Xcode project under '\(folder)' declares an app or an extension; \(reason)"
        return InputError(.invalid, [.appFolder(message)])
    }

    /// The error for a name that does not select exactly one app, or for several apps without a name to select one.
    package static func selection(of target: String?, from apps: [App], in path: String) -> InputError {
        // A project may build many apps; the one that campaigns are for usually has a push extension.
        let takers = apps.filter { $0.extensions.contains(where: \.takesPushes) }
        let others = apps.filter { !$0.extensions.contains(where: \.takesPushes) }
        let names = (takers + others).map(\.name)
        let listed = names.quoted(atMost: 20)
        guard let target else {
            return InputError(
                .ambiguous, [.appFolder("'\(path)' has \(apps.count) apps, expected --target with one of \(listed)")])
        }
        let near = nearestName(to: target, in: names)
        let hint = didYouMean(near, else: ", which has \(names.isEmpty ? "none" : listed)")
        return InputError(.ambiguous, [.appFolder("no app '\(target)' in '\(path)'\(hint)")])
    }

    private static func file(_ path: String) throws(InputError) -> SourceFile {
        do throws(FileError) {
            return try SourceFile(contentsOf: path, in: nil)
        } catch {
            if error.reason == .missing { throw InputError(.missing, [.appFolder("no file '\(path)'")]) }
            throw InputError(.invalid, [.appFolder("'\(path)' is not read: \(error.explanation)")])
        }
    }
}

extension Diagnostic {
    fileprivate static func appFolder(_ message: String) -> Diagnostic {
        Diagnostic(.appNotFound, message, at: nil)
    }
}
