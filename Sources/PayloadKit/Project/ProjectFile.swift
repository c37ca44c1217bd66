// SPDX-License-Identifier: MIT

package import AppBundles
import AppDeclarations
import CampaignRendering
package import DiagnosticSources
import DocumentFormats
package import POSIXFiles
import PlistDocuments

/// A file of the project, with its contents.
package struct ProjectFile: Sendable {
    /// The kind of a file, by its name.
    package enum Kind: Sendable, Hashable {
        case list, campaign, xcodeProject, workspace, app, extras, template, scenario, yaml, json, misnamedCampaign

        /// Determines the kind of a file; nil for files that are read only if they are named.
        package init?(_ path: String) {
            let name = path.fileName
            if path.hasSuffix(".plist") || path.hasSuffix(".entitlements") {
                self = .list
            } else if Campaign.isCampaign(path) {
                self = .campaign
            } else if name == XcodeProject.fileName {
                self = .xcodeProject
            } else if name == XcodeWorkspace.fileName {
                self = .workspace
            } else if name == "app.json" {
                self = .app
            } else if name == App.extrasFileName {
                self = .extras
            } else if path.hasSuffix(".liquid") {
                self = .template
            } else if ScenarioRecognition.isScenario(path) {
                self = .scenario
            } else if path.hasSuffix(".yml") || path.hasSuffix(".yaml") || App.isMisspeltExtrasFileName(name) {
                self = .yaml
            } else if path.hasSuffix(".json") {
                self = .json
            } else if Campaign.isMisnamed(path) {
                self = .misnamedCampaign
            } else {
                return nil
            }
        }
    }

    /// Whether the file at a path may declare a part of an app.
    static func declaresApp(_ path: String) -> Bool {
        [.list, .xcodeProject, .extras].contains(Kind(path)) || path.fileName == XcodeProject.specFileName
    }

    /// The suffixes of files that are read only for the files that use them: code, build settings, and the data of
    /// campaigns.
    fileprivate static let companions =
        dataSuffixes + [".swift", ".m", ".mm", ".h", ".xcconfig", ".storyboard", ".xib"]
    private static let dataSuffixes = [".yml", ".yaml", ".json"]

    /// Whether the file at a path decides what its project builds or checks, so that naming the file means naming the
    /// project.
    ///
    /// The findings that such a file causes are in property lists and campaigns, and not in the file itself.
    static func decidesProject(_ path: String) -> Bool {
        [.xcodeProject, .workspace].contains(Kind(path)) || path.hasSuffix(".xcconfig")
            || [ProjectConfiguration.fileName, XcodeProject.specFileName].contains(path.fileName)
    }

    /// Whether the file holds data that a campaign or the configuration may name.
    package var isData: Bool {
        [nil, .yaml, .json].contains(Kind(path)) && Self.dataSuffixes.contains(where: path.hasSuffix)
            && ![ProjectConfiguration.fileName, XcodeProject.specFileName].contains(path.fileName)
    }

    /// Whether the contents of the file can only affect how campaigns are read, and not how any other file is read.
    var isReadAlone: Bool { [.campaign, .template, .scenario].contains(Kind(path)) || isData }

    /// Whether the file at a path is checked wherever it is found.
    ///
    /// Most other YAML and JSON files belong to other programs.
    static func isChecked(_ path: String) -> Bool {
        switch Kind(path) {
        case nil, .json: false
        case .yaml: path.fileName == XcodeProject.specFileName
        default: true
        }
    }

    /// The contents of a file.
    package enum Content: Sendable {
        case list(BundlePlist)
        case campaign(SourceFile)
        case xcodeProject(XcodeProject)
        /// The declarations of an app, as `payloadgen app` writes them.
        case app(SourceFile)
        case extras(SourceFile)
        case template(SourceFile)
        /// A scenario of in-app messages.
        case scenario(SourceFile)
    }

    /// The absolute path.
    package let path: String

    /// Whether its findings are reported.
    package let isReported: Bool

    /// Whether the user named this file, rather than a folder that contains it.
    package let isExplicitInput: Bool

    /// The contents of the file; nil for a file that is not read, or is not a valid Xcode project.
    package private(set) var content: Content?

    /// The findings about this file not being read, or about a file that it refers to.
    package let unread: [Diagnostic]

    /// The absolute paths of the other files that this file uses, such as build settings, including missing ones.
    let usedPaths: Set<String>

    /// The kinds of data files, which are read only for the campaigns that name them.
    package enum Likeness: Sendable {
        case fixtures, restBody
    }

    /// The kind of data file that the keys of the file suggest; nil for other files.
    package let likeness: Likeness?

    /// Why a file in a folder `scenarios` is not read as a scenario; nil for other files.
    package let reasonNotToRead: String?

    /// Reads a file.
    ///
    /// A file that the user named may be anywhere. Other files must be inside their project, also after following
    /// symbolic links.
    ///
    /// - Parameters:
    ///   - entry: the file.
    ///   - paths: converts paths for messages.
    ///   - overlay: the unsaved texts.
    ///   - root: the project that must contain the file; nil for the project around it.
    package init(_ entry: FileSearch.Entry, paths: ProjectPaths, overlay: Overlay, root: ProjectRoot? = nil) {
        path = entry.path
        isReported = entry.isReported
        isExplicitInput = entry.isExplicitInput
        var reading = ProjectFileReading(entry, paths, overlay, root ?? paths.root(of: path))
        reading.read()
        content = reading.content
        unread = reading.unread
        usedPaths = reading.usedPaths.withLock { $0 }
        likeness = reading.likeness
        reasonNotToRead = reading.reasonNotToRead
    }

    /// Creates a file of an app from one in memory: key-value pairs, or else a property list, whatever its name.
    init(inMemory file: SourceFile, _ paths: ProjectPaths) {
        path = paths.absolute(file.path)
        (isReported, isExplicitInput) = (true, true)
        content = path.fileName == App.extrasFileName ? .extras(file) : .list(BundlePlist(PlistDocument(file)))
        (unread, usedPaths, likeness, reasonNotToRead) = ([], [], nil, nil)
    }

    /// Reads the property list again, as one that the build runs through the C preprocessor.
    mutating func preprocess() {
        if case .list(let plist)? = content { content = .list(BundlePlist(plist.document.preprocessed)) }
    }

    /// Whether it is a campaign.
    package var isCampaign: Bool {
        if case .campaign? = content { true } else { false }
    }
}

/// Reads a file of the project.
private struct ProjectFileReading {
    private(set) var content: ProjectFile.Content?
    private(set) var unread: [Diagnostic] = []
    private(set) var likeness: ProjectFile.Likeness?
    private(set) var reasonNotToRead: String?
    let usedPaths = Locked<Set<String>>([])

    private let path: String
    private let isExplicitInput: Bool
    private let kind: ProjectFile.Kind?
    private let paths: ProjectPaths
    private let overlay: Overlay
    private let root: ProjectRoot

    /// The names of folders in which campaigns are kept, so that other files there may be meant as campaigns.
    private static let campaignFolders: Set<String> = ["templates", "campaigns"]

    init(_ entry: FileSearch.Entry, _ paths: ProjectPaths, _ overlay: Overlay, _ root: ProjectRoot) {
        path = entry.path
        isExplicitInput = entry.isExplicitInput
        kind = ProjectFile.Kind(entry.path)
        self.paths = paths
        self.overlay = overlay
        self.root = root
    }

    private var isSpec: Bool { path.fileName == XcodeProject.specFileName }

    private var isInCampaignFolder: Bool {
        path.split(separator: "/").dropLast().contains { Self.campaignFolders.contains(String($0)) }
    }

    /// Whether the file is read only through the files that use it, or not at all.
    private var isPassedBy: Bool {
        // Most JSON files of a project are not for this program.
        if kind == .json, !isExplicitInput, !isInCampaignFolder { return true }
        return kind == nil && ProjectFile.companions.contains(where: path.hasSuffix)
    }

    mutating func read() {
        if isPassedBy { return }
        if kind == .misnamedCampaign {
            unread = [.misnamedCampaign(paths.place(of: path), "campaigns are named")]
            return
        }
        do throws(FileError) {
            read(try overlay.file(at: path, shownAs: paths.displayPath(path), in: isExplicitInput ? nil : root))
        } catch {
            // Most YAML files, and many files called app.json, are not for this program.
            if [.yaml, .json, .app].contains(kind), !isSpec, !isExplicitInput { return }
            unread = [Diagnostic(.unread(error.explanation), at: paths.place(of: path))]
        }
    }

    private mutating func read(_ file: SourceFile) {
        switch kind ?? .list {
        case .list: content = .list(BundlePlist(PlistDocument(file)))
        case .campaign: content = .campaign(file)
        case .app: if isExplicitInput || file.isLikeApp { content = .app(file) }
        case .extras: content = .extras(file)
        case .template: content = .template(file)
        case .scenario:
            reasonNotToRead = isExplicitInput ? nil : ScenarioRecognition.reasonNotToRead(file, at: path)
            if reasonNotToRead == nil { return content = .scenario(file) }
            unread = file.misnamed()
            if !unread.isEmpty { reasonNotToRead = nil }
            if file.isLikeFixtures { likeness = .fixtures }
        case .workspace:
            let workspace = XcodeWorkspace(file, path: paths.folder(of: path), names: root.names)
            unread = workspace?.findings(in: file, shown: paths.displayPath) ?? []
        case .xcodeProject: readProject(file)
        case .yaml where isSpec: readProject(file)
        case .yaml where !isExplicitInput && App.isMisspeltExtrasFileName(path.fileName):
            unread = [Diagnostic(.misnamedExtras, at: paths.place(of: path))]
        case .yaml, .json:
            unread = file.misnamed(isInCampaignFolder: isInCampaignFolder)
            guard unread.isEmpty else { return }
            likeness = file.isLikeFixtures ? .fixtures : file.isLikeRESTBody ? .restBody : nil
        case .misnamedCampaign: break
        }
    }

    /// A function that reads other files that this file uses, and remembers their paths.
    private var reader: ProjectFileReader {
        let read = overlay.reader(in: root, shown: paths.displayPath)
        return { [usedPaths] path throws(FileError) in
            usedPaths.withLock { _ = $0.insert(path) }
            return try read(path)
        }
    }

    /// Reads an Xcode project, or a file from which a tool generates one.
    private mutating func readProject(_ file: SourceFile) {
        let (project, findings) = XcodeProject.reading(file, at: path, in: root, shown: paths.displayPath, read: reader)
        content = project.map(ProjectFile.Content.xcodeProject)
        unread = findings
    }
}

extension RuleID {
    package static let misnamedCampaign = RuleID(
        "misnamed-campaign", .warning, "a campaign that is not named like one"
    )
}

extension Diagnostic {
    /// Creates the finding about a file that is probably meant as a campaign.
    package static func misnamedCampaign(_ place: SourcePlace, _ reason: String) -> Diagnostic {
        let end = place.file.path.hasSuffix(".json") ? "json" : "yml"
        return Diagnostic(.misnamedCampaign, "the file is not checked: \(reason) '*.campaign.\(end)'", at: place)
    }
}

extension ProjectFile {
    /// Whether a file in a folder may be meant as a campaign or scenario although it is not named like one, judged by
    /// its path.
    package static func mayBeMisnamed(_ path: String) -> Bool {
        guard path.fileName != XcodeProject.specFileName, !App.isMisspeltExtrasFileName(path.fileName) else {
            return false
        }
        return [.yaml, .json, .misnamedCampaign].contains(Kind(path))
    }

    /// The finding about a misnamed file; nil for other files, and for files that cannot be read.
    ///
    /// - Parameter path: the path of a file in a folder, which has to be inside of the project around it.
    /// - Returns: the finding, with its place at the start of the file.
    package static func misnaming(of path: String) -> Diagnostic? {
        guard mayBeMisnamed(path) else { return nil }
        let paths = ProjectPaths(workingFolder: .workingFolder)
        let entry = FileSearch.Entry(path: paths.absolute(path), isReported: true, isExplicitInput: false)
        return ProjectFile(entry, paths: paths, overlay: Overlay([:])).unread.first
    }
}

extension SourceFile {
    /// The finding about a file that has the keys of a campaign or scenario, but not the name of one.
    ///
    /// - Parameter isInCampaignFolder: whether the file is in a folder for campaigns, where fewer keys are enough.
    /// - Returns: the finding, if there is one.
    package func misnamed(isInCampaignFolder: Bool = false) -> [Diagnostic] {
        let place = SourcePlace(wholeFile: self)
        let marks = ["version", "requires", "content_blocks"] + (isInCampaignFolder ? ["tests", "campaign"] : [])
        if marks.contains(where: { hasOutermostKeys([$0, "push"]) }) {
            return [.misnamedCampaign(place, "it has the keys of a campaign, and campaigns are named")]
        }
        guard hasOutermostKeys(["messages", "timeline"]) else { return [] }
        let text = "it has the keys of a scenario, and scenarios are named '*.scenario.yml'"
        return [Diagnostic(.unread(text, severity: .warning), at: place)]
    }

    /// Whether a YAML file has keys on lines without indentation, or a JSON file in its outermost object.
    private func hasOutermostKeys(_ keys: [String]) -> Bool {
        guard path.hasSuffix(".json") else { return keys.allSatisfy(hasOutermostLine) }
        // Most files do not contain these words, so they need not be parsed as JSON.
        guard keys.allSatisfy({ bytes[...].firstRange(ofBytes: "\"\($0)\"".utf8) != nil }),
            let root = try? DocumentNode.read(self, rule: .campaignSyntax)
        else { return false }
        return keys.allSatisfy { root[$0] != nil }
    }

    /// Whether a line without indentation begins with a key.
    private func hasOutermostLine(_ key: String) -> Bool { hasLine(startingWith: key + ":") }

    /// Whether a JSON file is a REST body with a message for iOS, which a campaign may name under `push`.
    fileprivate var isLikeRESTBody: Bool {
        guard path.hasSuffix(".json"), bytes[...].firstRange(ofBytes: "\"apple_push\"".utf8) != nil,
            let root = try? DocumentNode.read(self, rule: .campaignSyntax)
        else { return false }
        return root["messages"]?["apple_push"] != nil
    }

    /// Whether a YAML file has a key of fixtures that other files rarely have.
    fileprivate var isLikeFixtures: Bool {
        ["connected_content", "catalog_selections", "promotion_codes"].contains(where: hasOutermostLine)
    }

    /// Whether a JSON file has the keys that every file of `payloadgen app` has; other tools have an `app.json` too.
    fileprivate var isLikeApp: Bool {
        ["\"version\"", "\"extensions\""].allSatisfy { bytes[...].firstRange(ofBytes: $0.utf8) != nil }
    }
}
