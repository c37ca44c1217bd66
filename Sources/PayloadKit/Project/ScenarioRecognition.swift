// SPDX-License-Identifier: MIT

import AppDeclarations
package import DiagnosticSources
import DocumentFormats

/// Decides whether a file is a scenario of in-app messages, by the same rule for all commands.
package enum ScenarioRecognition {
    /// Whether a file may be a scenario, by its path: `NAME.scenario.yml`, or a YAML file in a folder `scenarios`.
    package static func isScenario(_ path: String) -> Bool {
        if hasSuffix(path) { return true }
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).suffix(2).map { String(Substring($0)) }
        guard parts.count == 2, parts[0] == "scenarios", !otherNames.contains(parts[1]) else { return false }
        return [".yml", ".yaml"].contains(where: path.hasSuffix)
    }

    /// The names of YAML files that have a special meaning in any folder.
    private static let otherNames: Set<String> = [".payloadgen.yml", "payloadgen.extras.yml"]

    /// Whether the name of a file ends like the name of a scenario.
    private static func hasSuffix(_ path: String) -> Bool {
        [".scenario.yml", ".scenario.yaml", ".scenario.json"].contains(where: path.hasSuffix)
    }

    /// Why a file in a folder `scenarios` is not read, because it seems to belong to another program.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: the path of the file, for which ``isScenario(_:)`` is true.
    /// - Returns: the reason; nil for a scenario, even if it has faults.
    package static func reasonNotToRead(_ file: SourceFile, at path: String) -> String? {
        if hasSuffix(path) { return nil }
        let keys = "a key of a scenario, such as 'timeline'"
        do throws(InputError) {
            return try hasKeys(file) ? nil : "the file does not have \(keys)"
        } catch {
            return hasLine(file) ? nil : "the file cannot be parsed, and no line of it begins with \(keys)"
        }
    }

    /// Whether a file has the keys of a scenario, whatever its name; false if it cannot be read.
    package static func recognizes(_ file: SourceFile) -> Bool { (try? hasKeys(file)) ?? false }

    /// Whether any document of a file has the keys of a scenario.
    ///
    /// - Throws: why a document cannot be read, if no document has the keys.
    private static func hasKeys(_ file: SourceFile) throws(InputError) -> Bool {
        var failure: InputError?
        for document in documents(of: file) {
            do throws(InputError) {
                let root = try DocumentNode.read(document, rule: .unreadFile)
                if root?.hasKeysOfScenario ?? false { return true }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return false
    }

    /// The YAML documents of a file, as files of other programs may have several.
    private static func documents(of file: SourceFile) -> [SourceFile] {
        var starts = [0]
        var hasContent = false
        for number in 1...file.lineCount {
            let line = file.line(number)
            let isMark = line.starts(with: "---".utf8) && line.dropFirst(3).first.map { $0 <= 0x20 } ?? true
            if isMark, hasContent {
                starts.append(file.offset(ofLine: number))
                hasContent = false
            }
            let first = (isMark ? line.dropFirst(3) : line).first { $0 > 0x20 }
            hasContent = hasContent || first.map { !"#%".utf8.contains($0) } ?? false
        }
        guard starts.count > 1 else { return [file] }
        return zip(starts, starts.dropFirst() + [file.bytes.count]).map { start, end in
            SourceFile(path: file.path, bytes: Array(file.bytes[start..<end]))
        }
    }

    // MARK: - Files that cannot be read

    /// Whether a file that cannot be read has a line that begins with a key of a scenario; in JSON and YAML's flow
    /// style, the key may be anywhere in a line.
    private static func hasLine(_ file: SourceFile) -> Bool {
        let text = SourceFile(path: file.path, bytes: file.bytes, encoding: encoding(of: file.bytes))
        let lines = (1...text.lineCount).map { number in
            let line = text.line(number)
            return line.dropFirst(TextEncoding.utf8.lengthOfByteOrderMark(in: line))
        }
        .filter { !isWithoutContent($0) }
        guard let first = lines.first else { return false }
        let indent = first.prefix { $0 <= 0x20 }
        let start = first.dropFirst(indent.count).prefix(2)
        // The text `{{` or `{%` may begin a template.
        if start.first == UInt8(ascii: "{"), !"{%".utf8.contains(start.last ?? 0) || start.count == 1 {
            return lines.contains { line in
                line.split { "{,".utf8.contains($0) }.contains { key(of: $0.drop { $0 <= 0x20 }).map(isKey) ?? false }
            }
        }
        return lines.contains { $0.starts(with: indent) && key(of: $0.dropFirst(indent.count)).map(isKey) ?? false }
    }

    /// Whether a line is blank, a comment, a directive or the mark of a document.
    private static func isWithoutContent(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.drop { $0 <= 0x20 }
        return text.isEmpty || "#%".utf8.contains(text.first ?? 0) || text.starts(with: "---".utf8)
    }

    /// The key that a text begins with; nil if the text begins with a space or has no key at its start.
    private static func key(of text: ArraySlice<UInt8>) -> String? {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon - text.startIndex < 20 else { return nil }
        let next = text[colon...].dropFirst().first ?? 0x20
        guard next <= 0x20 || "[{".utf8.contains(next), text.first != 0x20 else { return nil }
        return String(decoding: text[..<colon], as: UTF8.self).filter { !"\"' ".contains($0) }
    }

    /// Whether a key is one that few other files have.
    ///
    /// Many files have keys such as 'message', so only 'timeline' may be misspelt.
    private static func isKey(_ name: String) -> Bool {
        let name = plainName(name)
        return ["messages", "pushes"].contains(name) || editDistance(name, "timeline") <= 1
    }

    /// The encoding, found by the byte order mark or by a zero in the first two bytes.
    private static func encoding(of bytes: [UInt8]) -> TextEncoding {
        let wide: [TextEncoding] = [.utf16LittleEndian, .utf16BigEndian]
        if let marked = wide.first(where: { $0.lengthOfByteOrderMark(in: bytes) > 0 }) { return marked }
        let zero = bytes.prefix(2).firstIndex(of: 0)
        return zero == 1 ? .utf16LittleEndian : zero == 0 && bytes.count > 1 ? .utf16BigEndian : .utf8
    }
}

extension DocumentNode {
    /// Whether the outermost mapping has keys that few other files have, even if they are misspelt.
    ///
    /// Such keys are a timeline, messages with triggers, and messages, pushes or expected lines with other keys of a
    /// scenario in or beside them.
    fileprivate var hasKeysOfScenario: Bool {
        if hasNearly("timeline") || hasTriggers { return true }
        let hasVersion = self["version"] != nil
        let expected = self["expect"]
        if let messages = self["messages"] {
            let elements = messages.elements ?? messages.members?.map(\.value) ?? []
            if hasVersion || expected != nil, elements.contains(where: { $0["id"] != nil }) { return true }
            if hasVersion, elements.isEmpty, messages.scalar?.isNullMark ?? true { return true }
        }
        if let pushes = self["pushes"] {
            let elements = pushes.elements ?? []
            if hasVersion || elements.contains(where: { $0["at"] != nil || $0["id"] != nil }) { return true }
        }
        let lines = expected?.elements ?? []
        return hasVersion && lines.contains { $0["at"] != nil && $0["action"] != nil }
    }

    /// Whether one of the messages, in a list or in a mapping by name, has triggers.
    private var hasTriggers: Bool {
        (members ?? []).filter { $0.isNearly("messages") }.contains { member in
            let messages = member.value.elements ?? member.value.members?.map(\.value) ?? []
            return messages.contains { $0.hasNearly("triggers") }
        }
    }

    private func hasNearly(_ key: String) -> Bool { members?.contains { $0.isNearly(key) } ?? false }
}

extension DocumentMember {
    /// Whether the name of the member is this key, except for case, hyphens, underscores and at most one wrong letter.
    ///
    /// If there is no space after the colon, the colon and the value are part of the name.
    fileprivate func isNearly(_ key: String) -> Bool {
        editDistance(plainName(String(name.prefix { $0 != ":" })), key) <= 1
    }
}
