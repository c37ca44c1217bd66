// SPDX-License-Identifier: MIT

import JSON
import SourceText

/// The fields of the payload, in its order.
extension RenderSession {
    /// Writes all fields; returns the category, and whether there is an image.
    mutating func writeFields() throws(Interruption) -> (category: String?, hasImage: Bool) {
        writer.begin()
        writer.openObject("aps")
        try writeAlert()
        var category: String?
        var imageURL: String?
        for field in renderer.message.aps {
            if case .imageFlag(let isDeclared) = field.value {
                imageURL = try textUnlessBlank(renderer.message.imageURL)
                if imageURL == nil, !isDeclared { continue }
            }
            guard try write(field) else { continue }
            if let text = field.text, field === renderer.message.category { category = engine.output(of: text) }
        }
        writer.closeObject()
        try writeExtras()
        for field in renderer.message.top { try write(field) }
        try writeBraze(imageURL: imageURL)
        writer.end()
        return (category, imageURL != nil)
    }

    private mutating func writeAlert() throws(Interruption) {
        let start = writer.mark
        writer.openObject("alert")
        let count = writer.fieldCount
        for field in renderer.message.alert { try write(field) }
        if writer.fieldCount == count { return writer.takeBack(to: start) }
        writer.closeObject()
    }

    /// Writes a field with its options; false where it is left out.
    @discardableResult
    private mutating func write(_ field: CompiledMessage.Field) throws(Interruption) -> Bool {
        let start = writer.mark
        writer.beginField(json: field.key)
        guard try writeValue(of: field) else {
            writer.takeBack(to: start)
            return false
        }
        writer.endField(field.name, isBlank: field.whenBlank == .reported && isBlank(field))
        for option in field.options { try write(option) }
        return true
    }

    /// Whether the value that was written is only white space.
    private func isBlank(_ field: CompiledMessage.Field) -> Bool { field.text.map { engine.isBlank($0) } ?? false }

    /// Writes the value of a field; false where the field is to be left out.
    private mutating func writeValue(of field: CompiledMessage.Field) throws(Interruption) -> Bool {
        if let text = field.text {
            try engine.render(text)
            if field.whenBlank == .leftOut, engine.isBlank(text) {
                warnLeftOut(text.source)
                return false
            }
            engine.writeString(of: text, to: &writer)
            return true
        }
        switch field.value {
        case .text: break
        case .texts(let texts):
            writer.buffer.append(UInt8(ascii: "["))
            for (index, text) in texts.enumerated() {
                try engine.render(text)
                if index > 0 { writer.buffer.append(UInt8(ascii: ",")) }
                engine.writeString(of: text, to: &writer)
            }
            writer.buffer.append(UInt8(ascii: "]"))
        case .count(let text):
            guard let number = try count(text, of: field.field) else { return false }
            writer.buffer.append(decimal: number)
        case .constant(let json): json.withUnsafeBufferPointer { writer.buffer.append($0) }
        case .imageFlag: writer.buffer.append(UInt8(ascii: "1"))
        case .members(let members): return try writeMembers(members)
        }
        return true
    }

    /// Writes an object; returns false, so that it is left out, if its first member has no value.
    private mutating func writeMembers(_ members: [CompiledMessage.Field]) throws(Interruption) -> Bool {
        writer.openBrace()
        for (index, member) in members.enumerated() {
            let start = writer.mark
            writer.innerKey(json: member.key)
            let valueStart = writer.buffer.count
            if try writeValue(of: member) {
                writer.endInnerValue()
                if index == 0 { writer.notePart("name", from: valueStart) }
            } else if index == 0 {
                return false
            } else {
                writer.takeBack(to: start)
            }
        }
        writer.closeObject()
        return true
    }

    /// The whole number that a text renders to; nil, with a warning or an error, where it is not one.
    private mutating func count(_ text: CompiledText, of field: PushField) throws(Interruption) -> Int? {
        guard let printed = try textUnlessBlank(text) else { return nil }
        let digits = String(printed.unicodeScalars.drop(while: \.properties.isWhitespace))
        guard let number = Int(digits.prefix { !$0.isWhitespace }), number >= 0 else {
            report(
                field.rule ?? .campaignSyntax, RenderMessages.count(field.name, printed), field: field.name,
                at: text.source.place
            )
            return nil
        }
        return number
    }

    // MARK: - Braze's part

    private mutating func writeBraze(imageURL: String?) throws(Interruption) {
        writer.openObject("ab")
        writer.beginField(word: "c")
        if let id = renderer.message.apiID {
            writer.buffer.appendJSON(id)
        } else {
            writer.buffer.append("null")
        }
        writer.endStandIn()
        if let imageURL, let image = push.image {
            writer.beginField(word: "att")
            writer.openBrace()
            writer.innerKey("url")
            writer.innerString(imageURL, part: "image.url")
            writer.innerKey("type")
            writer.innerString(image.type.value.rawValue)
            writer.closeObject()
            writer.endField("image")
        }
        if !renderer.message.buttons.isEmpty { try writeButtons() }
        writer.closeObject()
    }

    private mutating func writeButtons() throws(Interruption) {
        writer.beginField(word: "ab_cat")
        writer.openBrace()
        for compiled in renderer.message.buttons {
            let uri = try textUnlessBlank(compiled.uri)
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
        writer.endField("buttons")
    }
}
