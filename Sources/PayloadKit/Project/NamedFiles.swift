// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
package import DiagnosticSources
import Foundation
package import POSIXFiles
import PlistDocuments

/// Reports files that an Xcode project names but that do not exist.
///
/// Files that tools generate are not kept in repositories, so they are reported as info. These are the files in `Pods`,
/// `Carthage`, `Flutter`, `DerivedData`, `DerivedSources`, `ephemeral` (Flutter) and `node_modules`, the outputs of
/// scripts, the files in submodules that are not checked out, and the files that a `.gitignore` of the project
/// excludes.
package struct NamedFiles {
    private let root: ProjectRoot
    private let scriptOutputs: Set<String>
    private let shown: (String) -> String
    /// The folders of the submodules that are not checked out, by their paths from the root.
    private lazy var absentSubmodules = Self.absentSubmodules(of: root)
    private var patterns: [String: [(pattern: PathPattern, isKept: Bool)]] = [:]

    /// Prepares to report missing files of a project.
    ///
    /// - Parameters:
    ///   - root: the project.
    ///   - scriptOutputs: the absolute paths of the files that scripts make.
    ///   - shown: returns the path of a file for messages.
    package init(_ root: ProjectRoot, scriptOutputs: Set<String> = [], shown: @escaping (String) -> String) {
        self.root = root
        self.scriptOutputs = scriptOutputs
        self.shown = shown
    }

    /// The finding that a file is missing.
    ///
    /// - Parameters:
    ///   - path: the absolute path.
    ///   - source: what names the file, such as a build setting.
    ///   - isMade: whether XcodeGen generates the file.
    ///   - place: the place of the finding.
    /// - Returns: the finding.
    package mutating func finding(
        _ path: String,
        namedBy source: String,
        isMade: Bool = false,
        at place: SourcePlace
    ) -> Diagnostic {
        let command = isMade ? "; 'xcodegen generate' makes it" : ""
        let isMade = isMade || isMadeByTools(path)
        let near = isMade ? nil : similar(to: path).map(shown)
        let message = "\(source) names '\(shown(path))', which does not exist\(didYouMean(near, else: command))"
        return Diagnostic(.missingFile, message, at: place, severity: isMade ? .info : .error)
    }

    // MARK: - Files that tools make

    private static let foldersOfTools: Set<Substring> = [
        "Pods", "Carthage", "Flutter", "DerivedData", "DerivedSources", "ephemeral", "node_modules",
    ]

    /// Whether a tool makes the file at an absolute path, so that it may be missing.
    package mutating func isMadeByTools(_ path: String) -> Bool {
        if scriptOutputs.contains(path) { return true }
        guard path.hasPrefix(root.path + "/") else { return false }
        let names = path.dropFirst(root.path.count + 1).split(separator: "/")
        if names.contains(where: Self.foldersOfTools.contains) { return true }
        let rest = names.joined(separator: "/") + "/"
        if absentSubmodules.contains(where: { rest.hasPrefix($0 + "/") }) { return true }
        return isIgnored(names)
    }

    /// Reads the submodules in `.gitmodules` whose folders are empty or missing.
    private static func absentSubmodules(of root: ProjectRoot) -> [String] {
        guard let file = try? SourceFile(contentsOf: root.path + "/.gitmodules", in: root) else { return [] }
        let lines = String(decoding: file.utf8, as: UTF8.self).split(whereSeparator: \.isNewline).prefix(10_000)
        return lines.compactMap { line in
            guard let sign = line.firstIndex(of: "="), String(line[..<sign]).trimmed == "path" else { return nil }
            let path = String(line[line.index(after: sign)...]).trimmed
            return root.names(in: root.path + "/" + path)?.isEmpty ?? true ? path : nil
        }
    }

    /// The longest path that a system opens, in bytes: Linux's `PATH_MAX`; that of macOS is smaller.
    private static let pathLimit = 4_096

    /// Whether the `.gitignore` files exclude a path or a folder around it.
    ///
    /// The last matching pattern decides; patterns of inner folders come after those of outer folders.
    private mutating func isIgnored(_ names: [Substring]) -> Bool {
        guard names.reduce(root.path.utf8.count, { $0 + 1 + $1.utf8.count }) <= Self.pathLimit else { return false }
        var folder = root.path
        // The patterns of each folder, with the index of the first name inside that folder.
        var ignoring: [(index: Int, patterns: [(pattern: PathPattern, isKept: Bool)])] = []
        for (index, name) in names.enumerated() {
            guard FileStatus(path: folder)?.kind == .folder else { break }
            let patterns = patterns(in: folder)
            if !patterns.isEmpty { ignoring.append((index, patterns)) }
            folder += "/" + name
        }
        return names.indices.contains { last in
            var isIgnored = false
            for (index, patterns) in ignoring where index <= last {
                let rest = names[index...last].joined(separator: "/")
                for entry in patterns where entry.pattern.matches(rest) { isIgnored = !entry.isKept }
            }
            return isIgnored
        }
    }

    private mutating func patterns(in folder: String) -> [(pattern: PathPattern, isKept: Bool)] {
        if let known = patterns[folder] { return known }
        let file = try? SourceFile(contentsOf: folder + "/.gitignore", in: root)
        let lines = file.map { String(decoding: $0.utf8, as: UTF8.self).split(whereSeparator: \.isNewline) } ?? []
        let found = lines.prefix(2_000).compactMap { line -> (pattern: PathPattern, isKept: Bool)? in
            var text = String(line).trimmed
            guard !text.isEmpty, !text.hasPrefix("#"), text.utf8.count <= 1_024 else { return nil }
            let isKept = text.hasPrefix("!")
            if isKept { text.removeFirst() }
            return (PathPattern(text), isKept)
        }
        patterns[folder] = found
        return found
    }

    // MARK: - Similar names

    /// The existing file that was probably meant: one whose path differs in case, or whose name differs in a few
    /// letters.
    private func similar(to path: String) -> String? {
        guard path.hasPrefix(root.path + "/") else { return nil }
        let names = path.dropFirst(root.path.count + 1).split(separator: "/").map(String.init)
        var folder = root.path
        for (index, name) in names.enumerated() {
            guard let entries = try? FileManager.default.contentsOfDirectory(atPath: folder), entries.count < 10_000
            else { return nil }
            let sorted = entries.sorted()
            let found =
                sorted.first { $0.utf8.elementsEqual(name.utf8) }
                ?? sorted.first { $0.lowercased() == name.lowercased() }
                ?? (index == names.count - 1 ? nearestName(to: name, in: sorted) : nil)
            guard let found, !ProjectRoot.isClosed(found) else { return nil }
            folder += "/" + found
        }
        return (try? root.resolve(folder)) == nil ? nil : folder
    }
}

extension XcodeProject {
    /// Reads the property lists that the targets name.
    ///
    /// - Parameters:
    ///   - root: the project.
    ///   - shown: returns the path of a file for messages.
    ///   - isKnown: returns whether the list at an absolute path is already read, or is excluded.
    ///   - read: reads a list.
    /// - Returns: the findings about lists that are not read, by their absolute paths.
    func readNamedLists(
        in root: ProjectRoot,
        shown: @escaping (String) -> String,
        isKnown: (String) -> Bool,
        read: (String) throws(FileError) -> Void
    ) -> [String: Diagnostic] {
        var named = NamedFiles(root, scriptOutputs: scriptOutputs, shown: shown)
        var findings: [String: Diagnostic] = [:]
        for target in targets {
            for path in target.lists.sorted() where findings[path]?.severity != .error && !isKnown(path) {
                do throws(FileError) {
                    try read(path)
                } catch {
                    guard target.kind != .other else { continue }
                    var finding = Diagnostic(.unread(shown(path), error), at: target.place)
                    if error.reason == .missing {
                        let setting = target.settingsOfLists[path] ?? XcodeProject.fileName
                        let isMade = target.madeLists[path] != nil
                        finding = named.finding(path, namedBy: setting, isMade: isMade, at: target.place)
                        if !target.mayBeForPushes { finding.severity = .info }
                    }
                    // If several targets name the same list, the most severe finding is kept.
                    if let known = findings[path], known.severity >= finding.severity { continue }
                    findings[path] = finding
                }
            }
        }
        return findings
    }
}
