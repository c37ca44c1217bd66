// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// Where the responses of Braze's export endpoints come from: from Braze itself, or from saved files.
package protocol ExportSource: Sendable {
    /// Returns the response to a request.
    ///
    /// - Returns: the response; nil if the saved files do not contain it.
    /// - Throws: the reason that there is none.
    func response(to request: ExportRequest) throws(PullFailure) -> ExportResponse?

    /// The ids of the resources whose details are saved in files; nil if the responses come from Braze itself.
    func savedIDs(_ kind: ExportRequest.Details) -> [String]?
}

/// A request for a page of a list, or for the details of a resource.
package struct ExportRequest: Sendable, Hashable {
    /// The kinds of resources whose details can be requested one by one.
    package enum Details: String, Sendable, Hashable {
        case campaign = "campaign_details"
        case canvas = "canvas_details"
        case block = "content_blocks_info"
    }

    /// The path of the request with its query, which does not contain the API key.
    let target: String

    /// The permission that the API key needs for the request, for messages.
    let permission: String

    /// The name of the file in which the response may be saved, without `.json`.
    let fileName: String

    init(_ path: String, _ query: [(name: String, value: String)] = [], permission: String, fileName: String) {
        let parts = query.map { "\($0.name)=\(Self.escaped($0.value))" }
        target = path + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
        self.permission = permission
        self.fileName = fileName
    }

    /// Creates the request for the next page, to which the response to another request links.
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
    /// The elements of the array that is the value of a key; empty if there is no such array.
    func list(_ key: String) -> [JSONNode] { self[key].map { Array($0.elements) } ?? [] }
}

/// A response from Braze, which is a JSON object; ``fault`` is nil if it reports success.
package struct ExportResponse: Sendable {
    let root: JSONNode

    /// The path and query of the next page; nil if this is the last one.
    let next: String?

    /// Reads the JSON of a response.
    ///
    /// - Returns: nil if the file is not a JSON object.
    init?(_ file: SourceFile, next: String? = nil) {
        guard let document = try? JSONDocument(file), document.root.kind == .object else { return nil }
        root = document.root
        self.next = next
    }

    /// Why the response does not report success; nil if it does.
    var fault: String? {
        guard let message = root["message"]?.string, message != "success" else { return nil }
        return message.firstLine(upTo: 200)
    }
}
