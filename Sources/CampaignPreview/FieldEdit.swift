// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit

/// Writes the text of one field into the file of a campaign, in the style that the file has there.
enum FieldEdit {
    /// The file with another text for a field.
    ///
    /// Only what differs is replaced. Where the style of the file cannot hold the text, such as a line break in a plain
    /// value, the value is written in double quotes. The result is read again, so that a text which YAML would read as
    /// something else is never written.
    ///
    /// - Parameters:
    ///   - campaign: the file.
    ///   - field: the name of the field, such as `title`.
    ///   - text: the text, with line feeds.
    /// - Returns: the file as it is then; nil where the field does not exist or cannot hold the text.
    static func edited(_ campaign: ReadCampaign, setting field: String, to text: String) -> ReadCampaign? {
        guard let old = campaign.text(of: field) else { return nil }
        if old.text.utf8.elementsEqual(text.utf8) { return campaign }
        let edit = DocumentEdit(campaign.file)
        let value = DocumentEdit.Text(old.text, at: old.range) { old.place(of: $0).range }
        for bytes in [edit.replacing(value, by: text), edit.quoting(value, as: text)].compactMap(\.self) {
            let edited = campaign.replaced(by: bytes)
            guard let new = edited.text(of: field), new.text.utf8.elementsEqual(text.utf8) else { continue }
            // An alias is the same value at several places.
            if DocumentNode.changes(from: campaign.file, to: edited.file, rule: .campaignSyntax) == 1 { return edited }
        }
        return nil
    }
}
