// SPDX-License-Identifier: MIT

import SourceText

/// The fields of the payload, in its order.
extension RenderSession {
    /// Writes all fields, and gives the category and whether there is an image.
    mutating func writeFields() throws(Interruption) -> (category: String?, hasImage: Bool) {
        writer.begin()
        writer.openObject("aps")
        try writeAlert()
        try writeBadge()
        if let sound = renderer.message.sound { try writeUnlessBlank(sound) }
        if let threadID = renderer.message.threadID { try writeUnlessBlank(threadID) }
        let category = try writeCategory()
        let imageURL = try textUnlessBlank(renderer.message.imageURL)
        writeFlags(hasImage: imageURL != nil)
        writer.closeObject()
        try writeExtras()
        if let uri = try textUnlessBlank(renderer.message.uri) {
            writer.string("ab_uri", uri, "uri")
            writer.beginField(word: "ab_use_webview")
            writer.innerBool(push.useWebView)
            writer.endField("use_webview")
        }
        try writeBraze(imageURL: imageURL)
        writer.end()
        return (category, imageURL != nil && push.image != nil)
    }

    private mutating func writeAlert() throws(Interruption) {
        let start = writer.mark
        writer.openObject("alert")
        let count = writer.fieldCount
        for field in renderer.message.alert {
            try engine.render(field.text)
            writer.beginField(json: field.json)
            engine.writeString(to: &writer)
            writer.endField(field.name, isBlank: engine.isBlank)
        }
        for part in renderer.message.localization { try writeLocalization(part) }
        if writer.fieldCount == count { return writer.takeBack(to: start) }
        writer.closeObject()
    }

    private mutating func writeLocalization(_ part: CompiledMessage.Localization) throws(Interruption) {
        writer.beginField(part.key)
        if part.isList { writer.buffer.append(UInt8(ascii: "[")) }
        for (index, text) in part.texts.enumerated() {
            try engine.render(text)
            if index > 0 { writer.buffer.append(UInt8(ascii: ",")) }
            engine.writeString(to: &writer)
        }
        if part.isList { writer.buffer.append(UInt8(ascii: "]")) }
        writer.endField(part.key)
    }

    private mutating func writeBadge() throws(Interruption) {
        if let number = renderer.message.badgeNumber { return writer.integer("badge", number, "badge") }
        guard let badge = renderer.message.badge, let text = try textUnlessBlank(badge) else { return }
        let digits = String(text.unicodeScalars.drop(while: \.properties.isWhitespace))
        guard let number = Int(digits.prefix { !$0.isWhitespace }), number >= 0 else {
            return fault(RenderMessages.badge(text), CampaignRule.badgeValue, "badge", badge.source.place)
        }
        writer.integer("badge", number, "badge")
    }

    private mutating func writeUnlessBlank(_ field: CompiledMessage.Field) throws(Interruption) {
        try engine.render(field.text)
        guard !engine.isBlank else { return warnLeftOut(field.text.source) }
        writer.beginField(json: field.json)
        engine.writeString(to: &writer)
        writer.endField(field.name)
    }

    private mutating func writeCategory() throws(Interruption) -> String? {
        guard let field = renderer.message.category else { return nil }
        try writeUnlessBlank(field)
        return engine.isBlank ? nil : engine.text
    }

    private mutating func writeFlags(hasImage: Bool) {
        if push.contentAvailable?.value == true { writer.integer("content-available", 1, "content_available") }
        if hasImage || push.mutableContent?.value == true { writer.integer("mutable-content", 1, "mutable_content") }
        if let level = push.interruptionLevel {
            writer.string("interruption-level", level.value.rawValue, "interruption_level")
        }
        if let score = push.relevanceScore?.value {
            writer.beginField(word: "relevance-score")
            if let whole = Int(exactly: score) {
                writer.buffer.append(decimal: whole)
            } else {
                writer.buffer.appendJSON(score)
            }
            writer.endField("relevance_score")
        }
    }

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
            writer.innerString(imageURL)
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
            if let uri {
                writer.innerKey("a_uri")
                writer.innerString(uri)
                writer.innerKey("a_use_webview")
                writer.innerBool(compiled.button.useWebView)
            }
            writer.closeObject()
        }
        writer.closeObject()
        writer.endField("buttons")
    }
}
