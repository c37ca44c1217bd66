// SPDX-License-Identifier: MIT

private import CLibXML2
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

    /// Reads a `contents.xcworkspacedata`, as far as it is XML.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: the absolute path of the `.xcworkspace`.
    init(_ file: SourceFile, path: String) {
        self.path = path
        let options =
            XML_PARSE_RECOVER.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue
            | XML_PARSE_NOWARNING.rawValue
        let document = Array(file.utf8).withUnsafeBytes { bytes in
            xmlReadMemory(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(clamping: bytes.count), nil, "UTF-8",
                CInt(bitPattern: options)
            )
        }
        guard let document else { return }
        defer { xmlFreeDoc(document) }
        guard let root = xmlDocGetRootElement(document) else { return }
        addMembers(of: root, group: path.folder)
    }

    /// The projects that are not there.
    var missingProjects: [String] {
        members.filter { $0.hasSuffix(".xcodeproj") && FolderWalk.item(at: $0) == nil }
    }

    /// The packages and the folders that may be packages.
    var packages: [String] { members.filter { !$0.hasSuffix(".xcodeproj") } }

    private mutating func addMembers(of element: UnsafeMutablePointer<xmlNode>, group: String) {
        var next = element.pointee.children
        while let child = next {
            next = child.pointee.next
            guard child.pointee.type == XML_ELEMENT_NODE else { continue }
            let location = location(of: child, group: group)
            switch String(cString: child.pointee.name) {
            case "FileRef": if let location { members.append(location) }
            case "Group": addMembers(of: child, group: location ?? group)
            default: break
            }
        }
    }

    /// The path that the attribute `location` names, such as `group:Packages/Push`; nil where there is none.
    private func location(of element: UnsafeMutablePointer<xmlNode>, group: String) -> String? {
        guard let text = xmlHasProp(element, "location")?.pointee.children?.pointee.content else { return nil }
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
