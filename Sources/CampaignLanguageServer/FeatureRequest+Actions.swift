// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit
import PayloadLinting

extension FeatureRequest {
    private enum Kind: String {
        case quickFix = "quickfix"
        case fixAll = "source.fixAll"
    }

    /// The code actions for the findings in a range: the fixes of `lint --fix`, and comments that suppress findings.
    ///
    /// - Parameters:
    ///   - range: the range, as offsets in bytes.
    ///   - only: the kinds of actions that the client wants; nil for all kinds.
    /// - Returns: the actions, as the protocol writes them.
    func actions(in range: Range<Int>, only: [String]?) -> ProtocolValue {
        func isWanted(_ kind: Kind) -> Bool {
            only?.contains { kind.rawValue == $0 || kind.rawValue.hasPrefix($0 + ".") } ?? true
        }
        guard let path = text.path else { return [] }
        // The same file may be open under two URIs with different texts, and the check used only one of them.
        let findings = (project?.findings[path] ?? []).filter { finding in
            finding.place.map { $0.isWholeFile || $0.file.bytes == text.file.bytes } ?? false
        }
        let near = findings.filter { finding in
            guard let place = finding.place else { return false }
            let findingRange = place.isWholeFile ? 0..<text.file.line(1).endIndex : place.range.offsets
            return findingRange.lowerBound <= range.upperBound && range.lowerBound <= findingRange.upperBound
        }
        var actions: [ProtocolValue] = []
        if isWanted(.quickFix) {
            for finding in near {
                for fix in finding.fixes {
                    let applied = CheckedFixes([fix], to: text.file).applied
                    if applied.edits.isEmpty { continue }
                    actions.append(action(fix.message, .quickFix, finding, applied.edits))
                }
            }
            for finding in near {
                guard let (title, edit) = suppression(of: finding) else { continue }
                actions.append(action(title, .quickFix, finding, [edit]))
            }
        }
        if isWanted(.fixAll) {
            let applied = CheckedFixes(findings.compactMap(\.fixes.first), to: text.file).applied
            if !applied.edits.isEmpty {
                actions.append(action("fix all that payloadgen can fix", .fixAll, nil, applied.edits))
            }
        }
        return .array(actions)
    }

    private func action(_ title: String, _ kind: Kind, _ finding: Diagnostic?, _ edits: [FixIt.Edit]) -> ProtocolValue {
        let changes = ProtocolValue.array(
            edits.map { edit in
                [
                    "range": text.file.range(of: edit.range, client.encoding),
                    "newText": .string(edit.replacement),
                ]
            })
        let edit: ProtocolValue =
            client.hasVersionedEdits
            ? [
                "documentChanges": [
                    [
                        "textDocument": [
                            "uri": .string(text.uri), "version": text.version.map { .integer($0) } ?? .null,
                        ],
                        "edits": changes,
                    ]
                ]
            ] : ["changes": .object([ProtocolValue.Member(name: text.uri, value: changes)])]
        return [
            "title": .string(title),
            "kind": .string(kind.rawValue),
            "diagnostics": finding.map { [$0.value(in: text, workspace, client.encoding)] } ?? .nothing,
            "isPreferred": finding.map { finding in .bool(finding.fixes.first?.message == title) } ?? .nothing,
            "edit": edit,
        ]
    }

    // MARK: - Comments that suppress

    /// The edit that adds a comment to suppress a finding, with a title that says what the comment covers; nil if no
    /// comment is possible.
    private func suppression(of finding: Diagnostic) -> (title: String, edit: FixIt.Edit)? {
        guard let place = finding.place, Rule.named(finding.rule.name)?.canBeSuppressed ?? false,
            text.file.encoding == .utf8, let path = text.path
        else { return nil }
        let words = "payloadgen:disable \(finding.rule.name)"
        let scope: String
        let offset: Int
        let comment: String
        if path.hasSuffix(".liquid") {
            offset = Int(ContentBlock("", in: text.file, keepsNewline: true).text.range.start)
            (scope, comment) = ("in this block", "{% comment %}\(words){% endcomment %}")
        } else if path.hasSuffix(".plist") || path.hasSuffix(".entitlements") {
            guard !place.isWholeFile else { return nil }
            offset = startOfLine(Int(place.range.start))
            let isInside = text.file.bytes[..<offset].firstRange(ofBytes: "<dict>".utf8) != nil
            guard isInside else { return nil }
            (scope, comment) = ("here", indentation(offset) + "<!-- \(words) -->" + lineBreak)
        } else {
            guard !path.hasSuffix(".json"), let root = try? DocumentNode.read(text.file, rule: .campaignSyntax) else {
                return nil
            }
            let element = place.isWholeFile ? nil : startOfElement(root, around: Int(place.range.start))
            offset = startOfLine(element ?? Int(root.range.start))
            let coversFile = offset <= Int(root.range.start)
            (scope, comment) = (coversFile ? "in this file" : "here", indentation(offset) + "# \(words)" + lineBreak)
        }
        let edit = FixIt.Edit(SourceRange(offset, offset), replacement: comment)
        return ("suppress '\(finding.rule.name)' \(scope)", edit)
    }

    private func startOfLine(_ offset: Int) -> Int {
        text.file.offset(ofLine: text.file.position(of: offset).line)
    }

    /// The spaces and tabs at the start of the line that contains an offset.
    private func indentation(_ offset: Int) -> String {
        String(decoding: text.file.bytes[offset...].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }

    private var lineBreak: String {
        text.file.bytes[...].firstRange(ofBytes: "\r\n".utf8) == nil ? "\n" : "\r\n"
    }

    /// The start of the innermost key or list element that contains an offset and begins on a line of its own; nil if
    /// there is none.
    private func startOfElement(_ node: DocumentNode, around offset: Int) -> Int? {
        let parts: [(start: Int, end: Int, node: DocumentNode)] =
            switch node.content {
            case .scalar: []
            case .sequence(let elements): elements.map { (Int($0.range.start), Int($0.range.end), $0) }
            case .mapping(let members):
                members.map { member in
                    (Int(member.keyRange.start), Int(max(member.keyRange.end, member.value.range.end)), member.value)
                }
            }
        guard let part = parts.last(where: { $0.start <= offset && offset <= $0.end }) else { return nil }
        if let inner = startOfElement(part.node, around: offset) { return inner }
        let marks = text.file.bytes[startOfLine(part.start)..<part.start]
        let isFirst = marks.allSatisfy { $0 == 0x20 || $0 == UInt8(ascii: "-") }
        return isFirst ? part.start : nil
    }
}
