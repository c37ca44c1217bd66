// SPDX-License-Identifier: MIT

import Crypto
import Files
import Linting
import PayloadKit

/// A campaign as its text is now, saved or not: what it says, what is wrong with it, and how it is rendered.
struct CampaignDraft: Sendable {
    /// The path of the file.
    let path: String

    /// The file with the text of the draft.
    let file: SourceFile

    /// The revision of the file that the text is based on: the SHA-256 of its bytes.
    let base: String

    /// Whether the text differs from the file.
    let isEdited: Bool

    /// The campaign, as far as it can be read; nil where nothing can.
    let campaign: Campaign?

    /// Renders the campaign; nil where it has errors that prevent it.
    let renderer: CampaignRenderer?

    /// The app that messages are checked against: one of ``apps``.
    let app: App?

    /// The apps that the campaign may be for: several where each claims its category.
    let apps: [App]

    /// The findings in the campaign, its content blocks, its fixtures and in how it fits the app.
    let findings: [Diagnostic]

    /// Reads a draft.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - bytes: the text of the draft.
    ///   - saved: the bytes of the file that it is based on.
    ///   - inputs: what the preview shows.
    ///   - apps: the apps of the project; nil where they cannot be read.
    ///   - number: the number of the app among those that the campaign may be for.
    init(
        path: String,
        bytes: [UInt8],
        saved: [UInt8],
        inputs: PreviewInputs,
        apps: ProjectApps?,
        choosing number: Int
    ) {
        self.path = path
        base = Self.revision(of: saved)
        isEdited = bytes != saved
        let file = SourceFile(path: path, bytes: bytes)
        self.file = file
        var folder = DiskFolder(around: path)
        folder.keepsNewlineOfBlocks = inputs.configuration?.keepsNewlineOfBlocks ?? false
        let linted = LintedCampaign(
            file,
            folder: folder,
            isNamed: true,
            options: inputs.options,
            dataNames: Set(inputs.options.context.variableNames)
        ) { campaign in
            if let app = inputs.app { return AppMatch([app]) }
            return apps?.match(campaign, at: path) ?? .none
        }
        self.apps = linted.apps
        app = linted.apps.indices.contains(number) ? linted.apps[number] : linted.apps.first
        campaign = linted.campaign
        let hasErrors =
            linted.campaign == nil
            || Campaign.read(file, folder: folder).diagnostics.contains {
                $0.severity == .error
            }
        renderer = hasErrors ? nil : try? linted.campaign?.renderer(options: inputs.options)
        var linter = Linter()
        linter.options.configuration = inputs.configuration
        let files = Set([path] + (linted.campaign?.blocks.map(\.text.file.path) ?? []))
        let fixtures = linted.campaign?.fixturesDocument?.file.path
        let found = linter.diagnostics(in: [], [linted], linted.apps) { path in
            files.contains(path) || path == fixtures
        }
        findings = inputs.options.rules.apply(to: found)
    }

    /// The revision of a file.
    static func revision(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }
        .joined()
    }

    /// The name of the campaign: that of the file without its suffix.
    var name: String {
        let name = path.lastPart
        return Campaign.fileSuffixes.first(where: name.hasSuffix).map { String(name.dropLast($0.count)) } ?? name
    }

    /// The text of the draft for an editor: without a byte order mark, with a line feed after each line.
    var text: String { LineText(file.bytes).text }

    /// Whether the file can be edited here: UTF-8 with at most 2 MB.
    var isEditable: Bool { String(validUTF8: file.bytes) != nil && file.bytes.count <= 2_000_000 }

    /// The findings whose place, or a related one, is in the texts of a field.
    func findings(in text: TemplateText) -> [Diagnostic] {
        findings.filter { finding in
            guard let place = finding.place, place.file.path == text.file.path else { return false }
            return place.range.start >= text.range.start && place.range.end <= text.range.end
        }
    }
}
