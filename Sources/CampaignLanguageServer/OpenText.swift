// SPDX-License-Identifier: MIT

import AppBundles
import DiagnosticSources
import JSONTexts

/// A text that the client has open.
struct OpenText: Sendable {
    /// The address, as the client writes it.
    let uri: String

    /// The absolute path; nil for a text without a file.
    let path: String?

    /// The number that the client counts changes by.
    private(set) var version: Int?

    /// The text.
    private(set) var file: SourceFile

    /// The text of `textDocument/didOpen`; nil where the message is malformed.
    init?(_ document: JSONNode?) {
        guard let uri = document?["uri"]?.string, let text = document?["text"]?.string else { return nil }
        self.uri = uri
        path = FileURI.path(uri)
        version = document?["version"]?.integer
        file = SourceFile(path: path ?? uri, text: text)
    }

    /// Makes the changes of `textDocument/didChange`, one after the other.
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

    /// Whether the text is longer than files that are read.
    var isTooLarge: Bool { file.bytes.count > SourceFile.byteLimit }

    /// The text as it is checked.
    var text: String { String(decoding: file.bytes, as: UTF8.self) }
}
