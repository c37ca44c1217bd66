// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// The source of responses of Braze's export endpoints: Braze itself, or saved files.
package protocol ExportSource: Sendable {
    /// The response to a request.
    ///
    /// - Returns: the response; nil where the saved files do not contain it.
    /// - Throws: the reason that there is none.
    func response(to request: ExportRequest) throws(PullFailure) -> ExportResponse?

    /// The ids of the resources whose details are saved in files; nil where the responses come from Braze itself.
    func savedIDs(_ kind: ExportRequest.Details) -> [String]?
}

/// A request for a page of a list, or for the details of a resource.
package struct ExportRequest: Sendable, Hashable {
    /// The resources that have details.
    package enum Details: String, Sendable, Hashable {
        case campaign = "campaign_details"
        case canvas = "canvas_details"
        case block = "content_blocks_info"
    }

    /// The path with its query, without the key.
    let target: String

    /// The permission that the key needs.
    let permission: String

    /// The name of the file in which the response may be saved, without `.json`.
    let fileName: String

    init(_ path: String, _ query: [(name: String, value: String)] = [], permission: String, fileName: String) {
        let parts = query.map { "\($0.name)=\(Self.escaped($0.value))" }
        target = path + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
        self.permission = permission
        self.fileName = fileName
    }

    /// A request for the page that a response links to.
    init(link: String, after request: ExportRequest, fileName: String) {
        target = link
        permission = request.permission
        self.fileName = fileName
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            if byte.isWordByte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") {
                result.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                result += "%" + UInt32(byte).hexadecimal(digits: 2).uppercased()
            }
        }
    }
}

extension JSONNode {
    /// The elements of a member that is an array; empty for anything else.
    func list(_ key: String) -> [JSONNode] { self[key].map { Array($0.elements) } ?? [] }
}

/// A successful response.
package struct ExportResponse: Sendable {
    let root: JSONNode

    /// The path and query of the next page.
    let next: String?

    /// Reads the JSON of a response.
    ///
    /// - Returns: nil where the file is not a JSON object.
    init?(_ file: SourceFile, next: String? = nil) {
        guard let document = try? JSONDocument(file), document.root.kind == .object else { return nil }
        root = document.root
        self.next = next
    }

    /// The reason that the response is not successful; nil where it is.
    var fault: String? {
        guard let message = root["message"]?.string, message != "success" else { return nil }
        return message.firstLine(upTo: 200)
    }
}
