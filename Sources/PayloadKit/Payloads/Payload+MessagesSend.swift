// SPDX-License-Identifier: MIT

import Liquid
public import SourceText

extension Payload {
    /// The body of Braze's `POST /messages/send` that sends this one message, with everything rendered.
    ///
    /// Source of the names: Braze, "Apple push object".
    ///
    /// - Parameter pretty: whether each member stands on a line of its own.
    /// - Returns: the body, and warnings about what REST cannot say.
    /// - Throws: the first rendered value that Braze would take for Liquid and render again.
    public func messagesSendJSON(pretty: Bool = false) throws(RenderError) -> (json: [UInt8], warnings: [Diagnostic]) {
        for field in fields {
            guard let mark = liquidMark(in: field) else { continue }
            throw RenderError(
                "the rendered value holds '\(mark)', which Braze would render again",
                rule: "messages-send",
                field: field.name,
                at: SourcePlace(campaign.file, SourceRange(0, 0))
            )
        }
        var warnings: [Diagnostic] = []
        if let subtitle = campaign.push.subtitle {
            warnings.append(
                Diagnostic(
                    rule: "messages-send",
                    severity: .warning,
                    message: "the REST API has no subtitle: it is left out",
                    at: subtitle.place
                )
            )
        }
        var json = JSONWriter(into: ByteBuffer(capacity: bytes.count * 2), pretty: pretty)
        json.beginObject()
        if let id = campaign.identity.apiID { json.member("campaign_id", id) }
        if let recipient {
            json.key("external_user_ids")
            json.beginArray()
            json.string(recipient)
            json.endArray()
        } else {
            warnings.append(
                Diagnostic(
                    rule: "messages-send",
                    severity: .warning,
                    message: "the profile has no external id: the body names no recipient",
                    at: nil
                )
            )
        }
        json.key("messages")
        json.beginObject()
        json.key("apple_push")
        writeApplePush(to: &json)
        json.endObject()
        json.endObject()
        return (json.buffer.withUnsafeBytes { Array($0) }, warnings)
    }

    private func writeApplePush(to json: inout JSONWriter) {
        json.beginObject()
        writeAlert(to: &json)
        copy("badge", as: "badge", to: &json)
        copy("sound", as: "sound", to: &json)
        writeExtra(to: &json)
        if has("content_available") { json.member("content-available", true) }
        copy("interruption_level", as: "interruption_level", to: &json)
        copy("relevance_score", as: "relevance_score", to: &json)
        if let expiration = headers.expiration { json.member("expiry", Self.iso8601(expiration)) }
        copy("uri", as: "custom_uri", to: &json)
        copy("use_webview", as: "use_webview", to: &json)
        copy("thread_id", as: "notification_group_thread_id", to: &json)
        writeAsset(to: &json)
        if let collapseID = headers.collapseID { json.member("collapse_id", collapseID) }
        if has("mutable_content") { json.member("mutable_content", true) }
        copy("category", as: "category", to: &json)
        writeButtons(to: &json)
        json.member("apns_priority", headers.priority)
        json.endObject()
    }

    private func writeAlert(to json: inout JSONWriter) {
        guard campaign.push.hasAlert else { return }
        json.key("alert")
        json.beginObject()
        copy("title", as: "title", to: &json)
        copy("body", as: "body", to: &json)
        for part in campaign.push.localization {
            copy(part.key, as: part.key.replacing("-", with: "_"), to: &json)
        }
        json.endObject()
    }

    private func writeExtra(to json: inout JSONWriter) {
        let extras = extras
        guard !extras.isEmpty else { return }
        json.key("extra")
        json.beginObject()
        for extra in extras { json.member(extra.key, extra.isJSON ? "$json:" + extra.value : extra.value) }
        json.endObject()
    }

    private func writeAsset(to json: inout JSONWriter) {
        guard let image = fields.first(where: { $0.name == "image" }) else { return }
        bytes[image.range.offsets].withUnsafeBufferPointer { value in
            guard let attachment = try? Value(json: value), case .object(let members) = attachment else { return }
            if case .string(let url)? = members["url"] { json.member("asset_url", url) }
            if case .string(let type)? = members["type"] { json.member("asset_file_type", type) }
        }
    }

    private func writeButtons(to json: inout JSONWriter) {
        guard let field = fields.first(where: { $0.name == "buttons" }) else { return }
        json.key("buttons")
        json.beginArray()
        bytes[field.range.offsets].withUnsafeBufferPointer { value in
            guard let buttons = try? Value(json: value), case .object(let members) = buttons else { return }
            for (id, value) in zip(members.keys, members.values) {
                guard case .object(let button) = value else { continue }
                json.beginObject()
                json.member("action_id", id)
                if case .string(let action)? = button["a_t"] { json.member("action", action) }
                if case .string(let uri)? = button["a_uri"] { json.member("uri", uri) }
                if case .bool(let useWebView)? = button["a_use_webview"] { json.member("use_webview", useWebView) }
                json.endObject()
            }
        }
        json.endArray()
    }

    // MARK: - Fields

    private func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

    private func copy(_ name: String, as key: String, to json: inout JSONWriter) {
        guard let field = fields.first(where: { $0.name == name }) else { return }
        json.key(key)
        bytes[field.range.offsets].withUnsafeBufferPointer { json.raw($0) }
    }

    /// What Braze would take for Liquid in the value of a field; its key counts as well.
    private func liquidMark(in field: Field) -> String? {
        let value = bytes[field.range.offsets]
        for mark in ["{{", "{%", "${"] {
            if Self.contains(value, mark.utf8) || Self.contains(field.name.utf8, mark.utf8) { return mark }
        }
        return nil
    }

    private static func contains(_ bytes: some Sequence<UInt8>, _ mark: String.UTF8View) -> Bool {
        // Braces and the percent and dollar signs are never escaped in JSON, so that the bytes can be searched as
        // they stand; nested objects of `$json:` hold no two braces in a row at their start.
        var previous: UInt8 = 0
        guard let first = mark.first, let last = mark.last else { return false }
        for byte in bytes {
            if previous == first, byte == last { return true }
            previous = byte
        }
        return false
    }

    private static func iso8601(_ seconds: Int) -> String {
        let text = Time(seconds: seconds).text
        return text.replacing(" UTC", with: "Z").replacing(" ", with: "T")
    }
}
