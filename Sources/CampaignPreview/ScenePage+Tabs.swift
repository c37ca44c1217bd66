// SPDX-License-Identifier: MIT

import PayloadKit

/// The tabs of the page for the payload, for all people side by side, and for the profile.
extension ScenePage {
    // MARK: - Payload

    var payload: PageModel {
        guard let payload = scene.selected.payload else { return ["note": noPayload] }
        return [
            "note": nil as PageModel?,
            "size": "\(grouped(payload.size.bytes)) bytes, \(payload.size.structure) of them brackets and names",
            "link": "api/payload" + view.link { _ in } + "&format=simulator",
            "most": payload.fields.map(\.cost).max() ?? 1,
            "lines": PayloadLines(payload).lines,
            "text": payload.text,
            "name": scene.draft.name,
        ]
    }

    private var noPayload: PageModel {
        if case .aborted(let reason) = scene.selected.status { return note(.warning, "No payload: aborted, " + reason) }
        let error = scene.selected.firstError
        var note = note(.warning, "No payload: " + (error?.message ?? "the campaign cannot be rendered"))
        note["place"] = error?.place.map { ["text": $0.shown] as PageModel }
        return note
    }

    // MARK: - Side by side

    var comparison: PageModel {
        let shown = scene.recipients.filter { recipient in
            guard view.showsProblemsOnly else { return true }
            if case .sent = recipient.status { return false }
            return true
        }
        let none = scene.recipients.isEmpty ? "There is nobody to show." : "Nobody has a problem."
        let choice = choice("Which people", [false, true]) { isOnly in
            (
                isOnly ? "Only problems" : "Everybody", isOnly == view.showsProblemsOnly,
                view.link { $0.showsProblemsOnly = isOnly }
            )
        }
        return [
            "choice": choice, "none": shown.isEmpty ? none : nil, "appearance": view.phone.rawValue,
            "cards": shown.map(card),
        ]
    }

    private func card(_ recipient: Recipient) -> PageModel {
        let person = recipient.person
        let look: PageView.Look = view.look == .long ? .lock : view.look
        let link = view.link { view in
            view.person = person.number
            view.tab = .message
        }
        let error = recipient.firstError
        var why = person.zone ?? person.detail
        if let error {
            why = error.message
        } else if case .aborted = recipient.status {
            why = "abort_message ended the message"
        } else if let warning = recipient.findings.first(where: { $0.severity > .info }) {
            why = warning.message
        }
        return [
            "link": isStatic ? nil : link, "name": person.name, "style": recipient.style, "word": recipient.word,
            "notification": notification(recipient, look), "is_error": error != nil, "why": why,
            "place": error?.place.map { ", " + $0.shown },
        ]
    }

    // MARK: - Profile

    var profile: PageModel {
        let person = scene.selected.person
        var model: PageModel = [
            "name": person.name,
            "source": person.source ?? "no file",
            "choice": choice("Form of the profile", PageView.ProfileEditor.allCases) { form in
                (form.title, form == view.profile, view.link { $0.profile = form })
            },
            "json": nil as String?,
            "problem": nil as PageModel?,
            "can_reset": canEdit && (!scene.edits.isEmpty || scene.profileJSON != nil),
            "number": person.number,
            "download": canEdit && person.number < 0 ? "api/profile" + view.link { _ in } : nil,
        ]
        switch (view.profile, person.profile) {
        case (.json, _):
            let text = scene.profileText
            model["json"] = ExactText(text)
            model["row_count"] = min(40, text.utf8.count { $0 == UInt8(ascii: "\n") } + 2)
            model["problem"] = scene.profileJSON?.problem.map {
                note(.error, "This is not a profile, so the last one is shown: " + $0)
            }
        case (.values, .failure(let error)): model["problem"] = note(.error, error.message)
        case (.values, .success(let profile)):
            let entries = profile.entries
            var known: Set<String> = []
            let read = (scene.reads + scene.edits).filter { known.insert($0.liquid).inserted }.map { entry in
                entries.first { $0.liquid == entry.liquid } ?? Profile.Entry(entry.namespace, entry.name, nil)
            }
            model["read"] = read.map(Self.entry)
            model["rest"] = entries.filter { !known.contains($0.liquid) }.map(Self.entry)
        }
        return model
    }

    private static func entry(_ entry: Profile.Entry) -> PageModel {
        [
            "name": ExactText(entry.liquid), "type": entry.value?.typeName,
            "value": ExactText(entry.value?.shown ?? ""),
            "control": ExactText("profile:\(entry.namespace):\(entry.name)"),
        ]
    }
}

/// The lines of a payload in readable form, each with the number of bytes of its field.
private struct PayloadLines {
    private let bytes: [UInt8]
    private let fields: [Int: Payload.Field]
    private(set) var lines: [PageModel] = []

    init(_ payload: Payload) {
        bytes = payload.bytes
        fields = Dictionary(payload.fields.map { (Int($0.range.start), $0) }, uniquingKeysWith: { first, _ in first })
        add("{", 0)
        addMembers(of: 0, depth: 1)
        add("}", 0)
    }

    /// Adds the members of the object that begins at an offset; returns the offset after the object.
    @discardableResult
    private mutating func addMembers(of start: Int, depth: Int) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "}") {
            if bytes[position] == UInt8(ascii: ",") { position += 1 }
            let keyEnd = end(ofString: position)
            let key = String(decoding: bytes[position..<keyEnd], as: UTF8.self)
            let value = keyEnd + 1
            if let field = fields[value] {
                position = Int(field.range.end)
                add(field, key, isLast: !isComma(position), depth)
            } else if value < bytes.count, bytes[value] == UInt8(ascii: "{") {
                add("\(key): {", depth)
                position = addMembers(of: value, depth: depth + 1)
                add(isComma(position) ? "}," : "}", depth)
            } else {
                // Every value that is not an object belongs to a field.
                return bytes.count
            }
        }
        return position + 1
    }

    private func isComma(_ position: Int) -> Bool {
        position < bytes.count && bytes[position] == UInt8(ascii: ",")
    }

    private func end(ofString start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    private mutating func add(_ text: String, _ depth: Int) {
        lines.append(["key": nil as String?, "text": ExactText(String(repeating: "  ", count: depth) + text)])
    }

    private mutating func add(_ field: Payload.Field, _ key: String, isLast: Bool, _ depth: Int) {
        let style =
            switch bytes[Int(field.range.start)] {
            case UInt8(ascii: "\""): "s"
            case UInt8(ascii: "{"), UInt8(ascii: "["): "v"
            default: "d"
            }
        lines.append([
            "indent": String(repeating: "  ", count: depth), "key": ExactText(key), "style": style,
            "value": ExactText(String(decoding: bytes[field.range.offsets], as: UTF8.self)), "comma": isLast ? "" : ",",
            "cost": field.cost, "kind": PayloadParts.style(of: field),
        ])
    }
}
