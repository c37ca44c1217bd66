// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit

/// Writes the text of one field into the file of a campaign, in the style that the file uses there.
enum FieldEdit {
    /// The campaign with another text for a field in its file.
    ///
    /// Only the difference is replaced. If the style of the file cannot express the text, such as a line break in a
    /// plain value, the whole value is written in double quotes. The result is read again, so that text that YAML would
    /// read as something else is never written.
    ///
    /// - Parameters:
    ///   - campaign: the file.
    ///   - field: the name of the field, such as `title`.
    ///   - text: the text, with line feeds as line breaks.
    /// - Returns: the edited file; nil if the field does not exist or cannot hold the text.
    static func edited(_ campaign: ReadCampaign, setting field: String, to text: String) -> ReadCampaign? {
        guard let old = campaign.text(of: field) else { return nil }
        if old.text.utf8.elementsEqual(text.utf8) { return campaign }
        let edit = DocumentEdit(campaign.file)
        let value = DocumentEdit.Text(old.text, at: old.range) { old.place(of: $0).range }
        for bytes in [edit.replacing(value, by: text), edit.quoting(value, as: text)].compactMap(\.self) {
            let edited = campaign.replaced(by: bytes)
            guard let new = edited.text(of: field), new.text.utf8.elementsEqual(text.utf8) else { continue }
            // The edit of an alias would change the value at several places, so such an edit is not accepted.
            if DocumentNode.changes(from: campaign.file, to: edited.file, rule: .campaignSyntax) == 1 { return edited }
        }
        return nil
    }
}
