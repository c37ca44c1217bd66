// SPDX-License-Identifier: MIT

private import CPlistXML
package import DiagnosticSources
import POSIXFiles

/// The projects and packages that an Xcode workspace names.
package struct XcodeWorkspace: Sendable {
    /// The name of the file that lists the members of a `.xcworkspace`.
    package static let fileName = "contents.xcworkspacedata"

    /// The absolute path of the `.xcworkspace`.
    let path: String

    /// The absolute paths of the projects, packages and folders in the workspace, in the case that they have on disk.
    private(set) var members: [String] = []

    /// The members that the workspace names in the wrong case.
    private(set) var changes: [FileSpelling.Change] = []

    /// Reads a `contents.xcworkspacedata`; nil if it is not XML.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: the absolute path of the `.xcworkspace`.
    ///   - names: returns the names in the folder at an absolute path; nil if it cannot be read.
    package init?(_ file: SourceFile, path: String, names: @escaping (String) -> [String]?) {
        self.path = path
        let tree = file.utf8.withUnsafeBytes { bytes in
            xml_tree_read(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard let tree else { return nil }
        defer { xml_tree_free(tree) }
        if let root = xml_tree_root(tree) { addMembers(of: root, group: path.folder) }
        let spelling = FileSpelling(names: names)
        let named = members
        members = named.map(spelling.path)
        changes = zip(named, members).flatMap(FileSpelling.changes)
    }

    /// The findings about members that the workspace names in the wrong case.
    ///
    /// - Parameters:
    ///   - file: the file that was read.
    ///   - shown: returns the path of a file for messages.
    /// - Returns: the findings.
    package func findings(in file: SourceFile, shown: (String) -> String) -> [Diagnostic] {
        changes.map { change in
            let range = file.bytes[...].firstRange(ofBytes: change.named.fileName.utf8) ?? 0..<0
            let place = SourcePlace(file, SourceRange(range.lowerBound, range.upperBound))
            return Diagnostic(.otherCase("the workspace", shown(change.named), shown(change.real), .info), at: place)
        }
    }

    /// The paths of the projects that the workspace names but that do not exist.
    var missingProjects: [String] {
        members.filter { $0.hasSuffix(".xcodeproj") && FolderWalk.item(at: $0 + "/" + XcodeProject.fileName) == nil }
    }

    /// The paths of the packages in the workspace, and of its folders, which may be packages.
    var packages: [String] { members.filter { !$0.hasSuffix(".xcodeproj") } }

    private mutating func addMembers(of element: OpaquePointer, group: String) {
        var next = xml_element_first(element)
        while let child = next {
            next = xml_element_next(child)
            let location = location(of: child, group: group)
            switch String(cString: xml_element_name(child)) {
            case "FileRef": if let location { members.append(location) }
            case "Group": addMembers(of: child, group: location ?? group)
            default: break
            }
        }
    }

    /// The absolute path that the attribute `location` names, such as `group:Packages/Push`; nil if there is none, or
    /// if it has an unknown form.
    private func location(of element: OpaquePointer, group: String) -> String? {
        guard let text = xml_element_attribute(element, "location") else { return nil }
        let value = String(cString: text)
        guard let colon = value.firstIndex(of: ":") else { return nil }
        let name = value[value.index(after: colon)...]
        switch value[..<colon] {
        case "group": return "\(group)/\(name)".standardizedPath
        case "container": return "\(path.folder)/\(name)".standardizedPath
        case "absolute": return String(name).standardizedPath
        default: return nil
        }
    }
}
