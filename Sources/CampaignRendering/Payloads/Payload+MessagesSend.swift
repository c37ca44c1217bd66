// SPDX-License-Identifier: MIT

public import DiagnosticSources
import DocumentFormats
import JSONTexts
import LiquidTemplates

extension Payload {
    /// The body of a request to Braze's `POST /messages/send` that sends this one message, with everything rendered.
    ///
    /// It also contains the other parts of the REST body that the campaign was read from. A message with Liquid was
    /// rendered for one user, and is sent only to that user.
    ///
    /// Source of the names: Braze, "Apple push object" and "Send messages immediately".
    ///
    /// - Parameter pretty: whether each member gets a line of its own.
    /// - Returns: the body, and warnings about parts that it cannot contain.
    /// - Throws: an error about the first rendered value that contains Liquid, which Braze would render again.
    public func messagesSendJSON(pretty: Bool = false) throws(RenderError) -> (json: [UInt8], warnings: [Diagnostic]) {
        for field in fields {
            let place = declaration(of: field)?.key.place
            try requireNoLiquid(in: field.name.utf8, of: field.name, at: place)
            try requireNoLiquid(in: bytes[field.range.offsets], of: field.name, at: self.place(of: field))
        }
        for header in headers.all {
            let name = header.field ?? header.name
            try requireNoLiquid(in: header.value.utf8, of: name, at: campaign.push[name]?.place)
        }
        var body = RESTBody(self, pretty: pretty)
        body.write()
        return (body.json.buffer.withUnsafeBytes { Array($0) }, body.warnings)
    }

    /// Throws an error if the key or value of a field contains Liquid.
    private func requireNoLiquid(
        in bytes: some Sequence<UInt8>,
        of field: String,
        at place: SourcePlace?
    ) throws(RenderError) {
        guard let mark = Self.liquidMark(in: bytes) else { return }
        throw RenderError(
            "the rendered value holds '\(mark)', which Braze would render again",
            rule: .messagesSend,
            field: field,
            at: place ?? SourcePlace(wholeFile: campaign.file)
        )
    }

    /// Where the campaign gives the value of a field; for buttons, the address that contains Liquid.
    private func place(of field: Field) -> SourcePlace? {
        let push = campaign.push
        if let pair = declaration(of: field) { return pair.value.place }
        if let image = push.image?.url, field.name == "image" { return image.place }
        guard field.name == "buttons" else { return push[field.name]?.place }
        let addresses = push.buttons.compactMap(\.uri).filter { uri in
            parts.contains { $0.name == uri.field && Self.liquidMark(in: bytes[$0.range.offsets]) != nil }
        }
        return addresses.first?.place ?? push.buttons.first?.place
    }

    /// The first sign of Liquid, such as `{{`, in a rendered value; nil for none.
    private static func liquidMark(in bytes: some Sequence<UInt8>) -> String? {
        ["{{", "{%", "${"].first { contains(bytes, $0.utf8) }
    }

    private static func contains(_ bytes: some Sequence<UInt8>, _ mark: String.UTF8View) -> Bool {
        // JSON never escapes braces, percent signs or dollar signs, so the bytes can be searched directly. Minified
        // JSON has no two opening braces in a row, as each object begins with a key.
        var previous: UInt8 = 0
        guard let first = mark.first, let last = mark.last else { return false }
        for byte in bytes {
            if previous == first, byte == last { return true }
            previous = byte
        }
        return false
    }
}

/// Writes the body of a request to Braze from a rendered payload.
private struct RESTBody: ~Copyable {
    private let payload: Payload
    private let push: PushMessage
    var json: JSONWriter
    private(set) var warnings: [Diagnostic] = []

    init(_ payload: Payload, pretty: Bool) {
        self.payload = payload
        push = payload.campaign.push
        json = JSONWriter(into: ByteBuffer(capacity: payload.bytes.count * 2), pretty: pretty)
    }

    mutating func write() {
        json.beginObject()
        writeRequest()
        json.key("messages")
        json.beginObject()
        json.key("apple_push")
        writeApplePush()
        for message in push.request?.otherMessages ?? [] {
            json.key(message.name)
            json.raw(message.value.json)
            warn("'\(message.name)' is not rendered: it is sent as it is written", at: message.place)
        }
        json.endObject()
        json.endObject()
    }

    private mutating func warn(_ message: String, at place: SourcePlace?) {
        warnings.append(Diagnostic(.messagesSend, message, at: place))
    }

    // MARK: - The rest of the request

    /// Keys besides `external_user_ids` that may name recipients other than the user that the message was rendered for.
    private static let otherRecipients = ["broadcast", "user_aliases"]

    /// Keys that say who receives the message.
    private static let recipientKeys = ["external_user_ids", "user_aliases", "segment_id", "audience", "broadcast"]

    private mutating func writeRequest() {
        let members = push.request?.members ?? []
        let isPersonal = push.texts.contains(where: \.holdsLiquid)
        if !members.contains(where: { $0.name == "campaign_id" }), let id = payload.campaign.identity.apiID {
            json.member("campaign_id", id)
        }
        let namesRecipients = members.contains { Self.recipientKeys.contains($0.name) }
        for member in members {
            if isPersonal, member.name == "external_user_ids" || Self.otherRecipients.contains(member.name) {
                warnAboutRecipients(member)
            } else {
                json.key(member.name)
                json.raw(member.value.json)
            }
        }
        guard isPersonal || !namesRecipients else { return }
        guard let recipient = payload.recipient else {
            return warn("the profile has no external id: the body names no recipient", at: nil)
        }
        json.key("external_user_ids")
        json.beginArray()
        json.string(recipient)
        json.endArray()
    }

    /// Warns about a member that names other recipients and is left out: a message rendered for one user must not reach
    /// anyone else.
    private mutating func warnAboutRecipients(_ member: RESTRequest.Member) {
        if member.name == "external_user_ids", let elements = member.value.elements, elements.count == 1,
            let recipient = payload.recipient, elements[0].scalar?.text.utf8.elementsEqual(recipient.utf8) == true
        {
            return
        }
        if member.name == "broadcast", member.value.scalar?.text == "false" { return }
        warn(
            "'\(member.name)' is left out: the message was rendered for one user, and is sent to that user alone",
            at: member.place)
    }

    // MARK: - The message

    private mutating func writeApplePush() {
        json.beginObject()
        writeAlert()
        for field in push.table.fields {
            if field.name == "thread_id" { writeExtra() }
            if case .push(let key)? = field.rest { write(field, as: key) }
            if field.rest == nil { warnAboutMissing(field) }
        }
        writeAsset()
        writeButtons()
        json.endObject()
    }

    private mutating func writeAlert() {
        guard push.hasAlert else { return }
        json.key("alert")
        json.beginObject()
        for field in push.table.fields {
            if case .alert(let key)? = field.rest { write(field, as: key) }
        }
        json.endObject()
    }

    private mutating func write(_ field: PushField, as key: String) {
        if case .header(let header) = field.place { return writeHeader(field, payload.headers[header], as: key) }
        switch (field.sending, push[field.name]) {
        case (.withImage, .flag(let flag)?) where !flag.value: json.member(key, false)
        case (.withImage, _): if payload[field.name] != nil { json.member(key, true) }
        case (_, .flag(let flag)?): json.member(key, flag.value)
        case (_, .word(let word)?): json.member(key, word.value)
        case (_, .members?):
            let others = field.members.dropFirst().map { "'\($0.name)'" }.joined(separator: " and ")
            warn(
                "the REST API accepts only the name of '\(field.name)': \(others) are left out",
                at: push[field.name]?.place)
            copy(part: field.members.first?.name ?? "", as: key)
        default:
            guard let found = payload[field.name] else { return }
            json.key(key)
            copy(found.range)
        }
    }

    private mutating func writeHeader(_ field: PushField, _ value: String?, as key: String) {
        switch (field.kind, push[field.name], value) {
        case (.time, .time(let time)?, _): json.member(key, time.value.iso8601Text)
        case (.level, _, let value?):
            json.key(key)
            json.raw(value)
        case (_, _, let value?): json.member(key, value)
        default: break
        }
    }

    private mutating func warnAboutMissing(_ field: PushField) {
        guard push[field.name] != nil else { return }
        warn("the REST API has no '\(field.name)': it is left out", at: push[field.name]?.place)
    }

    private mutating func writeExtra() {
        let extras = payload.extraFields
        guard !extras.isEmpty else { return }
        json.key("extra")
        json.beginObject()
        for (key, field) in extras {
            switch payload.declaration(of: field)?.value {
            case .json?: json.member(key, "$json:" + field.json(in: payload.bytes))
            case .text?, .composed?, nil:
                json.key(key)
                copy(field.range)
            }
        }
        json.endObject()
    }

    private mutating func writeAsset() {
        guard let image = push.image, payload.parts.contains(where: { $0.name == "image.url" }) else { return }
        copy(part: "image.url", as: "asset_url")
        json.member("asset_file_type", image.type.value.rawValue)
    }

    private mutating func writeButtons() {
        guard !push.buttons.isEmpty else { return }
        json.key("buttons")
        json.beginArray()
        for button in push.buttons {
            json.beginObject()
            json.member("action_id", button.actionID.value)
            if let action = button.action { json.member("action", action.value.rawValue) }
            if let uri = button.uri, payload.parts.contains(where: { $0.name == uri.field }) {
                copy(part: uri.field, as: "uri")
                json.member("use_webview", button.useWebView)
            }
            json.endObject()
        }
        json.endArray()
    }

    // MARK: - What was rendered

    private mutating func copy(part name: String, as key: String) {
        guard let part = payload.parts.first(where: { $0.name == name }) else { return }
        json.key(key)
        copy(part.range)
    }

    private mutating func copy(_ range: SourceRange) {
        payload.bytes[range.offsets].withUnsafeBufferPointer { json.raw($0) }
    }
}
