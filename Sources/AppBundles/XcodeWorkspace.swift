// SPDX-License-Identifier: MIT

import Files
import SourceText

/// The projects and packages that an Xcode workspace names.
struct XcodeWorkspace: Sendable {
    /// The name of the file in a `.xcworkspace`.
    static let fileName = "contents.xcworkspacedata"

    /// The absolute path of the `.xcworkspace`.
    let path: String

    /// The absolute paths of the projects, packages and folders.
    private(set) var members: [String] = []

    /// Reads the text of a `contents.xcworkspacedata`.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - path: the absolute path of the `.xcworkspace`.
    init(_ text: String, path: String) {
        self.path = path
        let root = path.folder
        var groups = [root]
        for tag in text.split(separator: "<").dropFirst() {
            let isClosed = tag.prefix { $0 != ">" }.hasSuffix("/")
            if tag.hasPrefix("/Group") {
                if groups.count > 1 { groups.removeLast() }
            } else if tag.hasPrefix("Group") {
                let folder = Self.location(in: tag, group: groups.last ?? root, root: root)
                if !isClosed { groups.append(folder ?? groups.last ?? root) }
            } else if tag.hasPrefix("FileRef"),
                let member = Self.location(in: tag, group: groups.last ?? root, root: root)
            {
                members.append(member)
            }
        }
    }

    /// The projects that are not there.
    var missingProjects: [String] {
        members.filter { $0.hasSuffix(".xcodeproj") && FolderWalk.item(at: $0) == nil }
    }

    /// The packages and the folders that may be packages.
    var packages: [String] { members.filter { !$0.hasSuffix(".xcodeproj") } }

    /// The path that the attribute `location` of a tag names, such as `group:Packages/Push`; nil where there is none.
    private static func location(in tag: Substring, group: String, root: String) -> String? {
        let name = Array(tag.utf8)[...].firstRange(ofBytes: "location".utf8)
        guard let name, let start = tag.utf8.index(tag.startIndex, offsetBy: name.upperBound, limitedBy: tag.endIndex)
        else { return nil }
        let rest = tag[start...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        let value = rest.dropFirst().prefix { $0 != quote }
        guard let colon = value.firstIndex(of: ":") else { return nil }
        var path = ""
        for (position, part) in value[value.index(after: colon)...].split(
            separator: "&", omittingEmptySubsequences: false
        ).enumerated() {
            path += position > 0 && part.hasPrefix("amp;") ? "&" + part.dropFirst(4) : part
        }
        switch value[..<colon] {
        case "group": return (group + "/" + path).standardizedPath
        case "container": return (root + "/" + path).standardizedPath
        case "absolute": return path.standardizedPath
        default: return nil
        }
    }
}
