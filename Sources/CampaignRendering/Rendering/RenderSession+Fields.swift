// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// Writes the fields of the payload, in payload order.
extension RenderSession {
    /// Writes all fields.
    ///
    /// Returns the category, unless it is constant or missing, and whether there is an image.
    mutating func writeFields() throws(Interruption) -> (category: String?, hasImage: Bool) {
        writer.begin()
        writer.openObject(json: #""aps":"#)
        try writeAlert()
        var category: String?
        var imageURL: String?
        for index in 0..<layout.aps.count {
            switch layout.aps[index] {
            case .constants(let constants): writer.write(constants)
            case .field(let field):
                if case .imageFlag(let isDeclared) = field.form {
                    imageURL = try textUnlessBlank(layout.imageURL)
                    if imageURL != nil, let url = layout.imageURL { checkAddress(of: url, isImage: true) }
                    if imageURL == nil, !isDeclared { continue }
                }
                guard try write(field) else { continue }
                if field == layout.category, let text = field.text { category = engine.output(of: text) }
            }
        }
        writer.closeObject()
        try writeExtras()
        for index in 0..<layout.top.count { try write(layout.top[index]) }
        try writeBraze(imageURL: imageURL)
        writer.end()
        return (category, imageURL != nil)
    }

    private mutating func writeAlert() throws(Interruption) {
        let start = writer.mark
        writer.openObject(json: #""alert":"#)
        for index in 0..<layout.alert.count { try write(layout.alert[index]) }
        if writer.isWithoutFields(after: start) { return writer.truncate(to: start) }
        if writer.hasBlank { reportEmptyAlert() }
        writer.closeObject()
    }

    /// Reports the alert if all its texts are blank.
    ///
    /// Only the fields of the alert have been written so far.
    private mutating func reportEmptyAlert() {
        let shown = Set(renderer.message.alert.filter(\.field.isShown).map(\.name.text))
        let fields = writer.fields.filter { shown.contains($0.name) }
        let areBlank = writer.buffer.withUnsafeBytes { bytes in
            fields.allSatisfy { isBlankJSON(UnsafeBufferPointer(rebasing: bytes[$0.range.offsets])) }
        }
        guard areBlank else { return }
        let place = renderer.message.alert.first?.text?.counted.source.place
        report(.blankField, RenderMessages.emptyAlert(fields.map(\.name)), at: place)
    }

    private mutating func write(_ part: MessageLayout.Part) throws(Interruption) {
        switch part {
        case .constants(let constants): writer.write(constants)
        case .field(let field): try write(field)
        }
    }

    /// Writes a field with its options; returns false if the field is left out.
    @discardableResult
    private mutating func write(_ field: Uncounted<CompiledMessage.Field>) throws(Interruption) -> Bool {
        let start = writer.mark
        field.with { writer.beginField($0.key) }
        guard try writeValue(of: field) else {
            writer.truncate(to: start)
            return false
        }
        if field.with({ $0.printsAddress }), let text = field.text { checkAddress(of: text) }
        writer.endField(field.name, isBlank: isReportedBlank(field))
        for index in 0..<field.with({ $0.uncountedOptions.count }) {
            try write(field.with { $0.uncountedOptions[index] })
        }
        return true
    }

    /// Whether the value that was just written is blank and the field is one whose blank values are reported.
    private func isReportedBlank(_ field: Uncounted<CompiledMessage.Field>) -> Bool {
        guard field.whenBlank == .reported, let text = field.text else { return false }
        return engine.isBlank(text)
    }

    /// Writes the value of a field; returns false if the field has to be left out.
    private mutating func writeValue(of field: Uncounted<CompiledMessage.Field>) throws(Interruption) -> Bool {
        if let text = field.text {
            try engine.render(text)
            if field.whenBlank == .leftOut, engine.isBlank(text) {
                warnLeftOut(text)
                return false
            }
            engine.writeString(of: text, to: &writer)
            return true
        }
        switch field.form {
        case .text: break
        case .constant: field.with { field in field.constant.withUnsafeBytes { writer.buffer.append($0) } }
        case .imageFlag: writer.buffer.append(UInt8(ascii: "1"))
        case .pieces: return try write(field.counted.pieces)
        }
        return true
    }

    /// Writes the pieces of a value; returns false if the field has to be left out.
    mutating func write(_ pieces: [CompiledMessage.Piece]) throws(Interruption) -> Bool {
        for piece in pieces {
            switch piece {
            case .json(let json): json.withUnsafeBufferPointer { writer.buffer.append($0) }
            case .text(let text) where text.role == .number:
                guard let number = try count(text) else { return false }
                writer.buffer.append(decimal: number)
            case .text(let source):
                let text = Uncounted(source)
                try engine.render(text)
                let start = writer.buffer.count
                if source.role == .member, engine.isBlank(text) {
                    warnLeftOut(text)
                    return false
                }
                engine.writeString(of: text, to: &writer)
                if source.role == .member { writer.notePart("name", from: start) }
            }
        }
        return true
    }

    /// The whole number that a text renders to; nil, with a warning or an error, where it is not one.
    private mutating func count(_ text: CompiledText) throws(Interruption) -> Int? {
        guard let printed = try textUnlessBlank(Uncounted(text)) else { return nil }
        let trimmed = printed.unicodeScalars.drop(while: \.properties.isWhitespace)
        let digits = trimmed.prefix { !$0.properties.isWhitespace }
        guard let number = Int(Substring(digits)), number >= 0,
            trimmed[digits.endIndex...].allSatisfy(\.properties.isWhitespace)
        else {
            let field = text.source.field
            report(
                push.table[field]?.rule ?? .campaignSyntax, RenderMessages.count(field, printed), field: field,
                at: text.source.place
            )
            return nil
        }
        return number
    }

    // MARK: - Braze's part

    private mutating func writeBraze(imageURL: String?) throws(Interruption) {
        writer.openObject(json: #""ab":"#)
        writer.beginField(json: #""c":"#)
        layout.apiID.withUnsafeBytes { writer.buffer.append($0) }
        writer.endPlaceholder()
        if let imageURL, let image = push.image {
            writer.beginField(json: #""att":"#)
            writer.openBrace()
            writer.innerKey("url")
            writer.innerString(imageURL, part: "image.url")
            writer.innerKey("type")
            writer.innerString(image.type.value.rawValue)
            writer.closeObject()
            writer.endField(Uncounted(Self.imageName))
        }
        if !renderer.message.buttons.isEmpty { try writeButtons() }
        writer.closeObject()
    }

    private mutating func writeButtons() throws(Interruption) {
        writer.beginField(json: #""ab_cat":"#)
        writer.openBrace()
        for compiled in renderer.message.buttons {
            let uri = try uri(of: compiled)
            writer.innerKey(compiled.button.actionID.value)
            writer.openBrace()
            writer.innerKey("a_t")
            writer.innerString((compiled.action ?? .openApp).rawValue)
            if let uri, let name = compiled.uri?.field {
                writer.innerKey("a_uri")
                writer.innerString(uri, part: name)
                writer.innerKey("a_use_webview")
                writer.innerBool(compiled.button.useWebView)
            }
            writer.closeObject()
        }
        writer.closeObject()
        writer.endField(Uncounted(Self.buttonsName))
    }

    /// The address that a button opens; nil if it has none or, with an error or a warning, if the address is only white
    /// space.
    private mutating func uri(of button: CompiledMessage.Button) throws(Interruption) -> String? {
        guard let uri = button.uri, let action = button.action, action.opensAddress else {
            return try textUnlessBlank(button.uri.map { Uncounted($0) })
        }
        let text = Uncounted(uri)
        try engine.render(text)
        if !engine.isBlank(text) {
            checkAddress(of: text)
            return engine.output(of: text)
        }
        let source = uri.source
        report(.buttonAction, StaticChecks.blankURIMessage(action), field: source.field, at: source.place)
        return nil
    }

    private static let imageName = FieldName("image")
    private static let buttonsName = FieldName("buttons")
}

extension Uncounted<CompiledMessage.Field> {
    @inline(__always)
    fileprivate var form: CompiledMessage.Form { with { $0.form } }

    @inline(__always)
    fileprivate var text: Uncounted<CompiledText>? { with { $0.text } }

    @inline(__always)
    fileprivate var whenBlank: PushField.WhenBlank { with { $0.whenBlank } }

    @inline(__always)
    fileprivate var name: Uncounted<FieldName> { with { Uncounted<FieldName>($0.name) } }
}
