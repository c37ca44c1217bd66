// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
import POSIXFiles
package import PlistDocuments

/// The targets of an Xcode project: apps, the extensions embedded in them, and the source files of each target.
///
/// The file `project.pbxproj` is an OpenStep property list: a table of objects that refer to each other by IDs. A
/// project that XcodeGen would write can also be read from its `project.yml`.
package struct XcodeProject: Sendable {
    /// The name of the project file inside a `.xcodeproj`.
    package static let fileName = FolderWalk.projectFileName

    /// A target that builds a bundle.
    package struct Target: Sendable {
        /// The kind of bundle that a target builds.
        package enum Kind: Sendable, Hashable {
            case application, appExtension, other
        }

        /// The name of the target.
        package var name: String

        /// The kind of bundle that the target builds.
        package var kind: Kind

        /// The platform for which the target is built; nil if the build settings do not say.
        package var platform: Platform? {
            let names = configurations.compactMap { Platform($0.settings) }
            return names.contains(.iOS) ? .iOS : names.first
        }

        /// Whether campaigns may be for the app or extension of the target; false for apps for Mac, Apple Watch and
        /// Apple TV.
        package var mayBeForPushes: Bool { platform.map { $0 == .iOS || $0 == .visionOS } ?? true }

        /// The place of the target in the project.
        package var place: SourcePlace

        /// The indices in ``XcodeProject/targets`` of the extensions that the target embeds.
        package var embedded: [Int] = []

        /// An extension that the target depends on or copies, but that is not where the system finds extensions in its
        /// bundle.
        package struct Unembedded: Sendable {
            /// The index in ``XcodeProject/targets`` of the extension.
            package var index: Int

            /// The reason why the extension is not in the bundle.
            package var reason: App.Unembedded.Reason

            /// The place of the build phase that copies the extension; if there is none, the place of the target that
            /// depends on it.
            package var place: SourcePlace
        }

        /// The extensions that the target names but does not embed.
        package internal(set) var unembedded: [Unembedded] = []

        /// The names of extensions that the target embeds but that no target of the project builds, so that nothing is
        /// known about them.
        package internal(set) var embedsOthers: [String] = []

        /// The build configurations of the target with their settings, in the order of the project.
        package var configurations: [(name: String, settings: BuildSettings)]

        /// The absolute paths of the Info.plists and entitlements of the target, in any configuration.
        package fileprivate(set) var lists: Set<String> = []

        /// The name of the build setting that names each property list, by the absolute path of the list.
        package fileprivate(set) var settingsOfLists: [String: String] = [:]

        /// The property lists that XcodeGen writes before the build, by their absolute paths.
        ///
        /// The files may not exist yet.
        package var madeLists: [String: BundlePlist] = [:]

        /// The build settings of the target in a configuration; nil if it has no such configuration.
        package func settings(in configuration: String) -> BuildSettings? {
            configurations.first { $0.name == configuration }?.settings
        }
    }

    /// The absolute path of the folder to which paths in the project are relative.
    package let folder: String

    /// The targets of the project, in its order.
    package private(set) var targets: [Target] = []

    /// The name of the default configuration, usually the release configuration; nil if the project names none.
    package private(set) var defaultConfiguration: String?

    /// The findings about parts of the project that are not read or not checked.
    package private(set) var diagnostics: [Diagnostic] = []

    /// The indices in ``targets`` of the targets that build apps.
    package private(set) var applications: [Int] = []

    /// The source files of each target.
    package let sources: XcodeSources

    /// The absolute paths of the files that scripts and build rules create.
    package let scriptOutputs: Set<String>

    /// Reads a project; nil if the file is not a project.
    ///
    /// - Parameters:
    ///   - document: the file.
    ///   - folder: the folder that holds the `.xcodeproj`.
    ///   - shown: returns the path of a file for messages.
    ///   - names: returns the names in the folder at an absolute path; nil if it cannot be read.
    ///   - read: reads other files, such as `.xcconfig`.
    package init?(
        _ document: PlistDocument,
        folder: String,
        shown: @escaping (String) -> String = { $0 },
        names: @escaping (String) -> [String]? = { _ in nil },
        read: @escaping ProjectFileReader
    ) {
        let spelling = FileSpelling(names: names)
        let files = ConfigurationFileReader(read: read, spelling: spelling, shown: shown)
        guard !document.isBroken, var reader = XcodeProjectReader(document, folder: folder, files) else {
            return nil
        }
        self.folder = reader.sourceRoot
        sources = XcodeSources(document, root: reader.sourceRoot, spelling: spelling)
        defaultConfiguration = reader.defaultConfiguration
        targets = reader.targets()
        scriptOutputs = reader.scriptOutputs(of: targets, read: read)
        diagnostics = reader.diagnostics
        // If campaigns cannot be for any of the targets, findings about unknown build settings do not matter.
        if !targets.contains(where: { $0.kind != .other && $0.mayBeForPushes }) {
            diagnostics.removeAll { $0.rule == .missingFile && $0.severity == .info }
        }
        findLists(spelling, shown)
        findApplications()
    }

    /// Creates a project from its parts.
    init(
        folder: String,
        targets: [Target],
        defaultConfiguration: String?,
        diagnostics: [Diagnostic],
        sources: XcodeSources,
        spelling: FileSpelling,
        shown: (String) -> String
    ) {
        self.folder = folder
        self.targets = targets
        self.defaultConfiguration = defaultConfiguration
        self.diagnostics = diagnostics
        self.sources = sources
        scriptOutputs = []
        findLists(spelling, shown)
        findApplications()
    }

    /// The maximum number of configurations whose build settings are kept for one property list.
    private static let useLimit = 256

    /// The configurations that use each Info.plist and entitlements file, with their build settings, by the absolute
    /// path of the file.
    package private(set) var uses: [String: [(configuration: String, settings: BuildSettings)]] = [:]

    /// The absolute paths of the Info.plists that the build passes through the C preprocessor in at least one
    /// configuration.
    package var preprocessedLists: Set<String> {
        Set(
            uses.compactMap { path, uses in
                path.hasSuffix(".entitlements")
                    || !uses.contains { $0.settings.value(of: "INFOPLIST_PREPROCESS") == "YES" } ? nil : path
            }
        )
    }

    /// The paths on disk of property lists that the project names in the wrong case, by the paths as the project names
    /// them.
    private var spellings: [String: String] = [:]

    private mutating func findLists(_ spelling: FileSpelling, _ shown: (String) -> String) {
        var crowded: Set<String> = []
        var changes: Set<FileSpelling.Change> = []
        for index in targets.indices {
            for (name, settings) in targets[index].configurations {
                for setting in Self.listSettings {
                    for settings in Self.variants(of: settings, with: setting) {
                        guard case .path(let named)? = path(setting, in: settings) else { continue }
                        let path = spelling.path(named)
                        if path != named { spellings[named] = path }
                        for change in FileSpelling.changes(from: named, to: path)
                        where targets[index].kind != .other && changes.insert(change).inserted {
                            let message = ProjectMessage.otherCase(
                                setting, shown(change.named), shown(change.real), nil)
                            diagnostics.append(Diagnostic(message, at: targets[index].place))
                        }
                        targets[index].lists.insert(path)
                        targets[index].settingsOfLists[path] = setting
                        if uses[path, default: []].count < Self.useLimit {
                            uses[path, default: []].append((name, settings))
                        } else if crowded.insert(path).inserted {
                            diagnostics.append(Diagnostic(.tooManyUses(limit: Self.useLimit), at: targets[index].place))
                        }
                    }
                }
            }
        }
    }

    /// The settings of a target, and one variant of them for each other value that a setting has with any SDK.
    private static func variants(of settings: BuildSettings, with setting: String) -> [BuildSettings] {
        guard settings.isConditional(setting) else { return [settings] }
        var values = [settings.value(of: setting, isPath: true)]
        return [settings]
            + Platform.allCases.flatMap(\.sdks).map(settings.with(sdk:)).filter { variant in
                let value = variant.value(of: setting, isPath: true)
                defer { values.append(value) }
                return !values.contains(value)
            }
    }

    /// The maximum number of bundles that are read from a project; an app counts once for itself and once for each
    /// extension, in each configuration.
    private static let bundleLimit = 50_000

    private mutating func findApplications() {
        var bundleCount = 0
        for index in targets.indices where targets[index].kind == .application {
            bundleCount += targets[index].configurations.count * (1 + targets[index].embedded.count)
            guard bundleCount <= Self.bundleLimit else {
                diagnostics.append(Diagnostic(.tooManyBundles(limit: Self.bundleLimit), at: targets[index].place))
                break
            }
            applications.append(index)
        }
    }

    /// The build settings whose values are paths of property lists.
    private static let listSettings = ["INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS"]

    /// The path that a build setting gives: unresolved if a reference in it cannot be replaced, nil if the setting is
    /// empty or not set.
    package func path(_ setting: String, in settings: BuildSettings) -> PathSetting? {
        guard let value = settings.value(of: setting, isPath: true) else {
            // A missing file that may assign the setting is reported instead.
            return settings.hasAllFiles && !settings.isKnown(setting) ? .unresolved("$(\(setting))") : nil
        }
        if value.isEmpty { return nil }
        if App.holdsBuildSetting(value) { return .unresolved(value) }
        let path = (value.hasPrefix("/") ? value : folder + "/" + value).standardizedPath
        return .path(spellings[path] ?? path)
    }

    /// A path that is the value of a build setting.
    package enum PathSetting: Sendable {
        case path(String)
        /// The value, with references that cannot be replaced left as they are written.
        case unresolved(String)
    }
}
