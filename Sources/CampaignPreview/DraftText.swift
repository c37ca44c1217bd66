// SPDX-License-Identifier: MIT

import PayloadKit
import PayloadLinting

/// The text of a draft: the changes in the form, merged with changes that other programs made to the file.
struct DraftText {
    let draft: CampaignDraft

    /// The bytes of the file with which the form's changes were merged.
    let merged: [UInt8]

    /// Whether the file and the draft both changed the same lines, or may have done so.
    let isConflicting: Bool

    /// Merges the contents of the form with the file.
    ///
    /// - Parameters:
    ///   - project: reads the file.
    ///   - path: the path of the campaign.
    ///   - request: the contents of the form.
    ///   - app: the number of the chosen app among the apps that the campaign may be for.
    ///   - problems: receives messages about changes that could not be made.
    /// - Throws: the reason that the file cannot be read.
    init(
        _ project: PreviewProject,
        _ path: String,
        _ request: DraftRequest,
        app: Int,
        _ problems: inout [String]
    ) throws(PreviewProblem) {
        var saved = try project.saved(path)
        merged = saved
        let current = CampaignDraft.revision(of: saved)
        var bytes = saved
        var isConflicting = false
        var unknownBase: String?
        if let text = request.text, !project.settings.isReadOnly {
            let known: [UInt8]? = request.base.map { $0 == current ? saved : project.contents($0) } ?? saved
            let base = known ?? saved
            bytes = LineText(base).replacing(with: text)
            if known == nil, bytes != saved {
                // The text on which the form's text is based is no longer known, so the changes cannot be merged.
                isConflicting = true
                unknownBase = request.base
            } else if base != saved {
                let mine = LineText(bytes).lines
                if let merged = LineHunk.merged(LineText(base).lines, mine, LineText(saved).lines) {
                    bytes = LineText(saved).replacing(with: merged)
                } else {
                    // The draft keeps its text and the revision on which it is based.
                    isConflicting = true
                    saved = base
                }
            }
        }
        var campaign = project.read(path, bytes, isBase: !request.fields.isEmpty)
        for (name, text) in project.settings.isReadOnly ? [] : request.fields {
            if let edited = FieldEdit.edited(campaign, setting: name, to: text) {
                campaign = edited
            } else {
                problems.append("'\(name)' cannot contain this text here; edit it in the file")
            }
        }
        if let field = project.settings.isReadOnly ? nil : request.newField {
            if let edited = FieldAddition.added(campaign, field) {
                campaign = edited
            } else {
                problems.append("'\(field)' cannot be added here; add it in the file")
            }
        }
        var draft = project.draft(campaign, saved: saved, base: unknownBase, app: app)
        if let fix = request.fix, !project.settings.isReadOnly {
            let wanted = project.checked(draft).findings.filter { finding in
                fix == "all" || fix == finding.key
            }
            let fixes = wanted.filter { $0.place?.file.path == path }.compactMap(\.fixes.first)
            let applied = CheckedFixes(fixes, to: draft.file).applied
            if !applied.applied.isEmpty {
                draft = project.draft(
                    campaign.replaced(by: applied.bytes), saved: saved, base: unknownBase, app: app)
            }
        }
        self.draft = draft
        self.isConflicting = isConflicting
    }
}

extension Diagnostic {
    /// The text that identifies the finding in a form.
    var key: String { "\(rule.name)@\(place.map { String($0.range.start) } ?? "")" }
}
