// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A text of a campaign that Liquid renders, with a map from its bytes to the bytes of the file.
public struct TemplateText: Sendable {
    /// The field that contains the text, such as `title` or `extras.next_session_name`.
    public let field: String

    /// The text, after the escapes, folds and indentation of YAML or JSON are resolved.
    public let text: String

    /// The file that contains the text.
    public let file: SourceFile

    /// The bytes of the whole value in the file, including its quotes.
    public let range: SourceRange

    /// Maps offsets in the value to offsets in the file.
    private let map: SourceMap

    /// The number of bytes at the start of the value that ``text`` does not include.
    private let skipped: Int

    /// Creates a text.
    ///
    /// - Parameters:
    ///   - field: the field that contains the text.
    ///   - text: the whole value.
    ///   - file: the file that contains the text.
    ///   - range: the bytes of the value in the file, including its quotes.
    ///   - map: maps offsets in the value to offsets in the file.
    ///   - skipping: the number of bytes at the start of the value that are not part of the text.
    public init(
        field: String,
        text: String,
        file: SourceFile,
        range: SourceRange,
        map: SourceMap,
        skipping: Int = 0
    ) {
        self.field = field
        self.text = skipping == 0 ? text : String(decoding: text.utf8.dropFirst(skipping), as: UTF8.self)
        self.file = file
        self.range = range
        self.map = map
        skipped = skipping
        holdsLiquid = Self.holdsLiquid(text)
    }

    /// The place of the whole value.
    public var place: SourcePlace { SourcePlace(file, range) }

    /// The place in the file of a range of ``text``.
    public func place(of range: SourceRange) -> SourcePlace {
        let shifted = SourceRange(Int(range.start) + skipped, Int(range.end) + skipped)
        return SourcePlace(file, map.fileRange(of: shifted))
    }

    /// A different text at the same place.
    func replaced(by text: String) -> TemplateText {
        TemplateText(field: field, text: text, file: file, range: range, map: map)
    }

    /// The part of ``text`` in a range.
    func text(of range: SourceRange) -> String {
        String(decoding: text.utf8.dropFirst(Int(range.start)).prefix(range.offsets.count), as: UTF8.self)
    }

    /// Whether rendering can change the text: it contains `{{`, `{%`, `${` or `<!`, with which an HTML comment begins
    /// that Braze removes.
    public let holdsLiquid: Bool

    private static func holdsLiquid(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch (previous, byte) {
            case (UInt8(ascii: "{"), UInt8(ascii: "{")), (UInt8(ascii: "{"), UInt8(ascii: "%")),
                (UInt8(ascii: "$"), UInt8(ascii: "{")), (UInt8(ascii: "<"), UInt8(ascii: "!")):
                return true
            default: previous = byte
            }
        }
        return false
    }
}
