// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// Where the responses of Braze's export endpoints come from: Braze, or files.
package protocol ExportSource: Sendable {
    /// The response to a request.
    ///
    /// - Returns: the response; nil where files hold none.
    /// - Throws: why there is none.
    func response(to request: ExportRequest) throws(PullFailure) -> ExportResponse?

    /// The ids of the resources of which the files hold details; nil where Braze is asked.
    func savedIDs(_ kind: ExportRequest.Details) -> [String]?
}

/// A request for a page or for the details of a resource.
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

    /// The name of the file that holds a saved response, without `.json`.
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
    /// The elements of a member that is an array; none for everything else.
    func list(_ key: String) -> [JSONNode] { self[key].map { Array($0.elements) } ?? [] }
}

/// A successful response.
package struct ExportResponse: Sendable {
    let root: JSONNode

    /// The path and query of the next page.
    let next: String?

    /// Reads the JSON of a response.
    ///
    /// - Returns: nil where it is not a JSON object.
    init?(_ file: SourceFile, next: String? = nil) {
        guard let document = try? JSONDocument(file), document.root.kind == .object else { return nil }
        root = document.root
        self.next = next
    }

    /// Why the response is not a success; nil where it is.
    var fault: String? {
        guard let message = root["message"]?.string, message != "success" else { return nil }
        return message.firstLine(upTo: 200)
    }
}
