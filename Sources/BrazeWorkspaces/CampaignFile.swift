// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit

/// The campaign file for a campaign or a Canvas step in Braze: a new file, or an existing one that gets Braze's values.
struct CampaignFile {
    /// The campaign or Canvas in Braze.
    let campaign: WorkspaceExport.Campaign

    /// The name of the Canvas step whose message the file has; nil for a campaign.
    let step: String?

    let message: ExportedMessage

    /// The result of updating an existing file.
    enum Update {
        case unchanged
        case changed([UInt8])
        /// The file cannot be updated and stays unchanged; with the reason.
        case refused(String)
    }

    /// The keys of `push` whose values come from Braze, in the order in which they are written.
    private static let pushKeys = ["title", "body", "uri", "image", "extras"]

    /// The keys of `campaign` in the file, with their values in Braze; nil if Braze does not have one.
    private var identity: [(key: String, value: Value?)] {
        [
            ("name", .text(campaign.name)), ("api_id", .text(campaign.id)),
            ("message_name", (message.name ?? step).map { .text($0) }), ("message_api_id", .text(message.id)),
            ("tags", campaign.tags.isEmpty ? nil : .list(campaign.tags)),
            ("locales", message.locales.isEmpty ? nil : .list(message.locales)),
        ]
    }

    /// A value that comes from Braze.
    private enum Value {
        case text(String)
        case list([String])
        /// The image of a push, as its address.
        case image(String)

        /// The value as YAML or JSON on one line.
        func written(isJSON: Bool) -> String {
            switch self {
            case .text(let text): "\"\(DocumentEdit.doubleQuoted(text))\""
            case .list(let texts):
                "[" + texts.map { "\"\(DocumentEdit.doubleQuoted($0))\"" }.joined(separator: ", ") + "]"
            case .image(let url):
                isJSON
                    ? "{\"url\": \"\(DocumentEdit.doubleQuoted(url))\", \"type\": \"\(CampaignFile.imageType(url))\"}"
                    : "{url: \"\(DocumentEdit.doubleQuoted(url))\", type: \(CampaignFile.imageType(url))}"
            }
        }

        /// Whether a node of the file has this value already.
        func isValue(of node: DocumentNode) -> Bool {
            switch self {
            case .text(let text):
                guard let scalar = node.scalar, !scalar.isNullMark else { return false }
                return scalar.text.utf8.elementsEqual(text.utf8)
            case .list(let texts):
                let found = node.elements?.map { $0.scalar?.text ?? "" }
                return found?.elementsEqual(texts, by: { $0.utf8.elementsEqual($1.utf8) }) ?? false
            case .image(let url): return node["url"].map { Value.text(url).isValue(of: $0) } ?? false
            }
        }
    }

    /// The type of an image by the suffix of its address, as Braze's API does not return it; `png` for any other
    /// suffix.
    private static func imageType(_ url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let suffix = path.lastIndex(of: ".").map { path[path.index(after: $0)...].lowercased() } ?? ""
        let type = PushMessage.FileType(rawValue: suffix == "jpeg" ? "jpg" : suffix) ?? .png
        return type.rawValue
    }

    // MARK: - A new file

    /// The contents of a new file.
    var text: String {
        var lines = [
            "# Pulled from Braze: 'payloadgen pull' updates what Braze gives, and keeps all that you add.",
            "# Braze's API gives no subtitle, category, buttons, sound, badge, interruption level, app or audience.",
        ]
        if !campaign.channels.isEmpty {
            let channels = campaign.channels.sorted().map { $0.filter { $0.isLetter || $0.isNumber || $0 == "_" } }
            lines.append("# Other channels, which are not pulled: \(channels.joined(separator: ", "))")
        }
        lines += ["version: 1", "campaign:"]
        for (key, value) in identity {
            if let value { lines.append("  \(key): \(value.written(isJSON: false))") }
        }
        lines.append("push:")
        for (key, text) in texts(isNew: true) {
            if case .text(let text) = text { lines.append("  \(key): \(DocumentEdit.value(text, indent: 4))") }
        }
        if case .text(let url) = message.image { lines.append("  image: \(Value.image(url).written(isJSON: false))") }
        if let pairs = message.extras, !pairs.isEmpty {
            lines.append("  extras:")
            for pair in pairs {
                lines.append(
                    "    \(DocumentEdit.plainOrQuoted(pair.key)): \(DocumentEdit.value(pair.value, indent: 6))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The texts of the push in Braze, by their keys in the file.
    ///
    /// A push without title and body gets an empty body, because it needs one of these keys.
    private func texts(isNew: Bool) -> [(key: String, text: ExportedMessage.Text)] {
        let isEmpty = [message.title, message.body].allSatisfy { $0 == .none || isNew && $0 == .notGiven }
        return [("title", message.title), ("body", isEmpty ? .text("") : message.body), ("uri", message.uri)]
    }

    // MARK: - An existing file

    /// Writes Braze's values into an existing file; everything else in it stays unchanged, byte for byte.
    func update(of file: SourceFile) -> Update {
        guard String(validUTF8: file.bytes) != nil else { return .refused("it is not UTF-8") }
        guard let root = try? DocumentNode.read(file, rule: .campaignSyntax) else {
            return .refused("it cannot be read")
        }
        guard let push = root["push"], push.members != nil, push["rest"] == nil else {
            return .refused("its message is not under 'push'")
        }
        var edit = Edit(file: file, root: root)
        let names = identity.map(\.key)
        for (key, value) in identity { edit.set(["campaign"], key, value, order: names) }
        for (key, text) in texts(isNew: false) { edit.set(["push"], key, text, order: Self.pushKeys) { .text($0) } }
        setImage(&edit)
        if let pairs = message.extras { set(pairs, in: &edit) }
        guard edit.refused.isEmpty else {
            return .refused("\(edit.refused.quoted(atMost: 4)) cannot be changed in the style of the file")
        }
        return edit.file.bytes == file.bytes ? .unchanged : .changed(edit.file.bytes)
    }

    private func setImage(_ edit: inout Edit) {
        guard case .text(let url) = message.image, let image = edit.root["push"]?["image"], image.members != nil,
            let old = image.text("url")
        else { return edit.set(["push"], "image", message.image, order: Self.pushKeys) { .image($0) } }
        // People may have changed the type of image in the file, so it is updated only if it matches the old address.
        let type = Self.imageType(url)
        if image.text("type") == Self.imageType(old) { edit.set(["push", "image"], "type", .text(type), order: []) }
        edit.set(["push", "image"], "url", .text(url), order: [])
    }

    private func set(_ pairs: [ExportedMessage.Pair], in edit: inout Edit) {
        let keys = pairs.map(\.key)
        let old = edit.root["push"]?["extras"]?.members?.map(\.name) ?? []
        for name in old where !keys.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            if pairs.isEmpty {
                edit.set(["push"], "extras", nil, order: [])
            } else if keys.count > 0, old.count == 1, let first = pairs.first {
                // The new pair is added before the only old one is removed, because an empty mapping could not be
                // edited.
                edit.set(["push", "extras"], first.key, .text(first.value), order: keys)
                edit.set(["push", "extras"], name, nil, order: [])
            } else {
                edit.set(["push", "extras"], name, nil, order: [])
            }
        }
        for pair in pairs {
            // People may have written the JSON of a pair as a mapping or list, which is kept if it has the same value.
            let prefix = "$json:"
            if let node = edit.root["push"]?["extras"]?[pair.key], node.scalar == nil, pair.value.hasPrefix(prefix),
                let json = try? DocumentNode.json(
                    SourceFile(path: "", text: String(pair.value.dropFirst(prefix.count))), rule: .campaignSyntax),
                json.json == node.json
            {
                continue
            }
            edit.set(["push", "extras"], pair.key, .text(pair.value), order: keys)
        }
    }
}

extension CampaignFile {
    /// An existing file while it is edited; after each change, it is read again to check the change.
    private struct Edit {
        private(set) var file: SourceFile
        private(set) var root: DocumentNode

        /// The keys of the values that could not be changed.
        private(set) var refused: [String] = []

        init(file: SourceFile, root: DocumentNode) {
            self.file = file
            self.root = root
        }

        /// Sets or removes a value that comes from Braze; if Braze's response does not contain the value, the file's
        /// value stays.
        mutating func set(
            _ path: [String],
            _ key: String,
            _ text: ExportedMessage.Text,
            order: [String],
            _ value: (String) -> Value
        ) {
            switch text {
            case .notGiven: return
            case .none: set(path, key, nil, order: order)
            case .text(let text): set(path, key, value(text), order: order)
            }
        }

        /// Sets the value of a key in a mapping, or removes the key if the value is nil.
        mutating func set(_ path: [String], _ key: String, _ value: Value?, order: [String]) {
            let mapping = path.reduce(root as DocumentNode?) { $0?[$1] }
            let old = mapping?[key]
            if let old, let value, value.isValue(of: old) { return }
            if old == nil, value == nil { return }
            let edit = DocumentEdit(file)
            var candidates: [[UInt8]?] = []
            switch (old, value) {
            case (let old?, let value?):
                if let scalar = old.scalar, !scalar.isNullMark, case .text(let text) = value {
                    let written = DocumentEdit.Text(scalar.text, at: old.range) { scalar.map.fileRange(of: $0) }
                    candidates = [edit.replacing(written, by: text), edit.quoting(written, as: text)]
                } else {
                    let text = value.written(isJSON: isJSON)
                    candidates = [edit.replacing(old.range, by: text), edit.replacing(old.range, by: " " + text)]
                }
            case (nil, let value?):
                candidates = [insertion(of: key, value, at: path, mapping, order, edit)]
            case (_, nil):
                if let mapping, mapping.members?.count == 1, let name = path.last,
                    let parent = path.dropLast().reduce(root as DocumentNode?, { $0?[$1] })
                {
                    candidates = [edit.removing(name, from: parent)]
                } else {
                    candidates = [mapping.flatMap { edit.removing(key, from: $0) }]
                }
            }
            for bytes in candidates.compactMap(\.self) where accept(bytes, path + [key], value) { return }
            refused.append((path + [key]).joined(separator: "."))
        }

        private var isJSON: Bool { file.path.hasSuffix(".json") }

        private func insertion(
            of key: String,
            _ value: Value,
            at path: [String],
            _ mapping: DocumentNode?,
            _ order: [String],
            _ edit: DocumentEdit
        ) -> [UInt8]? {
            let text = value.written(isJSON: isJSON)
            guard let mapping, mapping.members?.isEmpty == false else {
                guard let name = path.last, let parent = path.dropLast().reduce(root as DocumentNode?, { $0?[$1] })
                else { return nil }
                // An empty mapping cannot be edited, because it does not show how its members would be indented.
                guard mapping == nil else { return nil }
                let first = name == "campaign" ? parent.members?.first { $0.name == "push" } : nil
                return edit.inserting([name, key], text, in: parent, before: first)
            }
            let place = order.firstIndex(of: key) ?? order.count
            let earlier = order[..<place].last { mapping[$0] != nil }
            let later = earlier == nil && place < order.count ? mapping.members?.first : nil
            return edit.inserting([key], text, in: mapping, after: earlier, before: later)
        }

        /// Accepts an edited file if only the one value has changed in it; otherwise returns false and keeps the file
        /// as it was.
        private mutating func accept(_ bytes: [UInt8], _ path: [String], _ value: Value?) -> Bool {
            let new = SourceFile(path: file.path, bytes: bytes)
            guard let read = try? DocumentNode.read(new, rule: .campaignSyntax) else { return false }
            let node = path.reduce(read as DocumentNode?) { $0?[$1] }
            switch (value, node) {
            case (let value?, let node?): guard value.isValue(of: node) else { return false }
            case (nil, nil): break
            default: return false
            }
            guard root.without(path[...]).json == read.without(path[...]).json else { return false }
            (file, root) = (new, read)
            return true
        }
    }
}

extension DocumentNode {
    /// The node without one member, and without the mappings that contain nothing but that member.
    fileprivate func without(_ path: ArraySlice<String>) -> DocumentNode {
        guard let key = path.first, let members else { return self }
        var node = self
        node.content = .mapping(
            members.compactMap { member in
                guard member.name.utf8.elementsEqual(key.utf8) else { return member }
                if path.count == 1 { return nil }
                var member = member
                member.value = member.value.without(path.dropFirst())
                return member.value.members?.isEmpty == true || member.value.scalar?.isNullMark == true ? nil : member
            })
        return node
    }
}
