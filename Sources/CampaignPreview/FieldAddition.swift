// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit

/// Adds an empty field to the `push` of a campaign, in the style of the fields around it.
enum FieldAddition {
    /// The texts of the alert, in the order in which a file should list them.
    static let texts = ["title", "subtitle", "body"]

    /// The campaign with one more field, which is empty, in its file.
    ///
    /// The result is read again to make sure that it has the new field and that all other fields are unchanged.
    ///
    /// - Parameters:
    ///   - campaign: the file.
    ///   - field: `title`, `subtitle`, `body` or `extras.KEY`.
    /// - Returns: the edited file; nil if the field already exists, or cannot be added to the file.
    static func added(_ campaign: ReadCampaign, _ field: String) -> ReadCampaign? {
        guard campaign.text(of: field) == nil, field != "extras.", campaign.campaign?.push.request == nil,
            let root = try? DocumentNode.read(campaign.file, rule: .campaignSyntax), let push = root["push"],
            let bytes = bytes(of: campaign.file, adding: field, to: push)
        else { return nil }
        let edited = campaign.replaced(by: bytes)
        guard edited.text(of: field)?.text == "" else { return nil }
        let others = campaign.campaign?.push.texts ?? []
        return others.allSatisfy { edited.text(of: $0.field)?.text == campaign.text(of: $0.field)?.text } ? edited : nil
    }

    private static func bytes(of file: SourceFile, adding field: String, to push: DocumentNode) -> [UInt8]? {
        let edit = DocumentEdit(file)
        guard field.hasPrefix("extras.") else {
            guard let place = texts.firstIndex(of: field) else { return nil }
            let earlier = texts[..<place].last { push[$0] != nil }
            let next = earlier == nil ? push.members?.first : nil
            return edit.inserting([field], "\"\"", in: push, after: earlier, before: next)
        }
        let key = String(field.dropFirst("extras.".count))
        if let extras = push["extras"] { return edit.inserting([key], "\"\"", in: extras) }
        return edit.inserting(["extras", key], "\"\"", in: push)
    }
}
