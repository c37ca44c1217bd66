// SPDX-License-Identifier: MIT

public import CampaignRendering
public import DiagnosticSources
import POSIXFiles

/// The configuration of a project, `.payloadgen.yml`.
///
/// ```yaml
/// version: 1
/// rule_set: recommended
/// rules: {category-unused: off, bare-attribute: error}
/// overrides: [{paths: [drafts], rules: {missing-default: off}}]
/// exclude: [Vendor, "**/Generated"]
/// apps:
///   BookDemo: ios/BookDemo
/// campaigns: [templates]
/// external_categories: [news_digest]
/// attributes: {first_name: {always: true}}
/// budget: 3600
/// limits: {work: 2000000000}
/// ```
public struct ProjectConfiguration: Sendable {
    /// An app of the project.
    public struct App: Sendable {
        /// The source of its property lists.
        public enum Source: Sendable, Hashable {
            /// A folder that is one app, or an `app.json`.
            case path(String)
            /// A target of an Xcode project; without a name, its only application.
            case target(String?, project: String)
            /// Property lists and entitlements that together are one app.
            case plists([String])

            /// The files and folders from which the app is read.
            package var paths: [String] {
                switch self {
                case .path(let path), .target(_, let path): [path]
                case .plists(let paths): paths
                }
            }
        }

        /// The name that campaigns use.
        public var name: Placed<String>

        /// The source of its property lists; paths are absolute.
        public var source: Source

        /// The place of the source in the configuration.
        public var place: SourcePlace

        package init(name: Placed<String>, source: Source, place: SourcePlace) {
            self.name = name
            self.source = source
            self.place = place
        }
    }

    /// The name of the file.
    public static let fileName = ".payloadgen.yml"

    /// The absolute path of the folder that contains the file.
    public var folder: String

    /// The severities of rules.
    public var rules = RuleLevels()

    /// Findings about the file that are only notes: all of the file is used.
    public var notes: [Diagnostic] = []

    /// The files and folders that are not read.
    public var excluded: [PathPattern] = []

    /// The apps, in the order of the file.
    public var apps: [App] = []

    /// The absolute paths of the folders with campaigns; empty for all folders.
    public var campaignFolders: [String] = []

    /// Categories that need no extension of the app.
    public var externalCategories: [String] = []

    /// The attributes that every user has.
    public var givenAttributes: Set<String> = []

    /// The maximum number of bytes that a campaign may have without a warning; nil for the number of bytes that Braze
    /// leaves to a campaign.
    public var budget: Int?

    /// Whether a newline at the end of a content block's file is part of the block.
    public var keepsNewlineOfBlocks = false

    /// How campaigns are pulled from Braze.
    package var pull = Pull()

    /// How campaigns are pulled from Braze.
    package struct Pull: Sendable {
        /// The address of the REST API.
        package var url: Placed<String>?

        /// The name of the environment variable that has the API key.
        package var keyName: String?

        /// The absolute path of the folder to which campaigns are written.
        package var into: String?
    }

    /// The Braze workspace whose campaigns, blocks and registries are in the project.
    public var workspace: Workspace?

    /// The limits of rendering that differ from the defaults.
    public var limits: [Limit: Int] = [:]

    /// Creates a configuration with the defaults.
    public init(folder: String) { self.folder = folder }

    /// The app with the name that a campaign gives; nil if there is none.
    public func app(named name: String) -> App? {
        apps.first { $0.name.value.utf8.elementsEqual(name.utf8) }
    }

    /// Whether the file or folder at an absolute path is excluded.
    public func excludes(_ path: String) -> Bool {
        guard !excluded.isEmpty, path.utf8.starts(with: (folder + "/").utf8) else { return false }
        let inside = path.utf8.index(path.startIndex, offsetBy: folder.utf8.count + 1)
        let names = PathPattern.names(String(path[inside...]))
        return excluded.contains { $0.matches(names) }
    }

    /// Whether the file at an absolute path, or a folder around it, is excluded.
    package func excludes(fileAt path: String) -> Bool {
        !excluded.isEmpty && Self.match(excluded, path, in: folder)
    }

    /// Whether a pattern matches a file, or a folder that contains the file.
    ///
    /// - Parameters:
    ///   - patterns: the patterns, relative to the folder of a configuration.
    ///   - path: the path of the file, absolute or relative to the working folder.
    ///   - folder: the absolute path of the folder of the configuration.
    /// - Returns: whether at least one pattern matches.
    package static func match(_ patterns: [PathPattern], _ path: String, in folder: String) -> Bool {
        let path = path.absolutePath.standardizedPath
        guard path.utf8.starts(with: (folder + "/").utf8) else { return false }
        let names = PathPattern.names(String(decoding: path.utf8.dropFirst(folder.utf8.count + 1), as: UTF8.self))
        return (1...max(1, names.count)).contains { count in
            let part = Array(names.prefix(count))
            return patterns.contains { $0.matches(part) }
        }
    }

    /// Whether a campaign is in one of ``campaignFolders``; true if there are none.
    public func holdsCampaign(_ path: String) -> Bool {
        campaignFolders.isEmpty || campaignFolders.contains { path.hasPrefix($0 + "/") }
    }

    /// The finding about a campaign that names an unknown app.
    public func unknownApp(_ name: Placed<String>) -> Diagnostic {
        let names = apps.map(\.name.value)
        let near = nearestName(to: name.value, in: names)
        let hint = didYouMean(near, else: "; expected one of \(names.quoted())")
        return Diagnostic(.campaignSyntax, "no app '\(name.value)' in \(Self.fileName)\(hint)", at: name.place)
    }
}
