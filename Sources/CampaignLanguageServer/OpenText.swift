// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import JSONTexts

/// A text that is open in the client.
struct OpenText: Sendable {
    /// The URI of the text, exactly as the client writes it.
    let uri: String

    /// The absolute path of the text's file; nil for a text that is not a file.
    let path: String?

    /// The version number that the client has given the text; nil if it gives none.
    private(set) var version: Int?

    /// The current text, as a source with places.
    private(set) var file: SourceFile

    /// Creates a text from `textDocument/didOpen`; nil if the message is malformed.
    init?(_ document: JSONNode?) {
        guard let uri = document?["uri"]?.string, let text = document?["text"]?.string else { return nil }
        self.uri = uri
        path = FileURI.path(uri)
        version = document?["version"]?.integer
        file = SourceFile(path: path ?? uri, text: text)
    }

    /// Makes the changes of `textDocument/didChange`, one after another.
    mutating func change(_ parameters: JSONNode?, _ encoding: PositionEncoding) {
        version = parameters?["textDocument"]?["version"]?.integer ?? version
        guard let changes = parameters?["contentChanges"] else { return }
        for change in changes.elements {
            guard let text = change["text"]?.string else { continue }
            var bytes = Array(text.utf8)
            if let range = change["range"], !range.isNull {
                guard let offsets = file.offsets(of: range, encoding) else { continue }
                bytes = file.bytes[..<offsets.lowerBound] + bytes + file.bytes[offsets.upperBound...]
            }
            file = SourceFile(path: file.path, bytes: bytes)
        }
    }

    /// Whether the text has more bytes than a file may have.
    var isTooLarge: Bool { file.bytes.count > SourceFile.byteLimit }

    /// The current text as a string.
    var text: String { String(decoding: file.bytes, as: UTF8.self) }
}
