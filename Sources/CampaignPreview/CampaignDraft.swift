// SPDX-License-Identifier: MIT

import DiagnosticSources
import POSIXFiles
import PayloadKit
import PayloadLinting

/// A campaign with its current text, saved or not: its contents, its findings, and how it is rendered.
struct CampaignDraft: Sendable {
    /// The path of the file.
    let path: String

    /// The file with the text of the draft.
    let file: SourceFile

    /// The revision of the file that the text is based on, which is a hash of its bytes.
    let base: String

    /// Whether the text differs from the saved file.
    let isEdited: Bool

    /// The valid parts of the campaign; nil where nothing can be read.
    let campaign: Campaign?

    /// Whether the campaign was read without errors.
    let isWhole: Bool

    /// The app that messages are checked against: one of ``apps``.
    let app: App?

    /// The apps that the campaign may be for; several if each of them claims its category.
    let apps: [App]

    /// The findings in the campaign, its content blocks and its fixtures, about how it fits the app, and about inputs
    /// that are not read; empty before ``checked(_:)``.
    private(set) var findings: [Diagnostic] = []

    /// The findings that `render` reports about every message of the campaign; empty before ``checked(_:)``.
    private(set) var findingsOfMessages: [Diagnostic] = []

    /// The findings in the files of the apps themselves, which make no message fail; empty before ``checked(_:)``.
    private(set) var findingsOfApps: [Diagnostic] = []

    /// Finds faults in the profiles that the campaign is rendered for; nil before ``checked(_:)``.
    private(set) var findingsOfProfiles: ProfileFindings?

    /// Whether errors in the campaign keep `payloadgen test` from running its tests.
    private(set) var preventsTests = false

    private let read: ReadCampaign
    private let match: AppMatch

    /// The project that contains the apps; nil where there is none, or it cannot be read.
    let appCheck: AppCheck?

    /// The reasons that the apps cannot be read.
    private let appFaults: [Diagnostic]

    /// Creates a draft.
    ///
    /// - Parameters:
    ///   - read: the text of the draft.
    ///   - saved: the bytes of the saved file.
    ///   - base: the revision that the text is based on; nil for the revision of the saved file.
    ///   - inputs: the inputs of the preview.
    ///   - apps: the apps of the project, or the reason that they cannot be read; nil for only the app of the options.
    ///   - number: the number of the chosen app among the apps that the campaign may be for.
    init(
        _ read: ReadCampaign,
        saved: [UInt8],
        base: String?,
        inputs: PreviewInputs,
        apps: Result<AppCheck, InputError>?,
        choosing number: Int
    ) {
        let file = read.file
        let path = file.path
        self.path = path
        self.base = base ?? Self.revision(of: saved)
        isEdited = file.bytes != saved
        self.file = file
        self.read = read
        appCheck = try? apps?.get()
        if case .failure(let error)? = apps { appFaults = error.diagnostics } else { appFaults = [] }
        match =
            inputs.app.map { AppMatch([$0]) }
            ?? appCheck.flatMap { check in read.campaign.map { check.project.explainedMatch($0, at: path) } } ?? .none
        self.apps = match.apps
        app = self.apps.indices.contains(number) ? self.apps[number] : self.apps.first
        campaign = read.campaign?.requiring(self.apps, besides: inputs.options.externalCategories)
        isWhole = read.isWhole
    }

    /// The custom attributes, catalogs and events of the Braze workspace; nil where they are not known.
    var registry: WorkspaceRegistry? { read.folder.workspace?.registry }

    private func linted(_ inputs: PreviewInputs) -> LintedCampaign {
        LintedCampaign(
            file,
            read: (read.campaign, read.diagnostics),
            folder: read.folder,
            isNamed: true,
            options: inputs.options,
            dataNames: Set(inputs.options.context.variableNames)
        ) { _ in match }
    }

    /// A function that decides whether a comment in the campaign suppresses a warning; nil where no comment may do so.
    func suppression(_ inputs: PreviewInputs) -> (@Sendable (Diagnostic) -> Bool)? {
        CampaignCheck.maySuppress(in: file) ? CampaignCheck.suppression(in: linted(inputs)) : nil
    }

    /// The same draft with its findings.
    ///
    /// Finding them takes longer than reading and rendering the draft.
    func checked(_ inputs: PreviewInputs) -> CampaignDraft {
        let linted = linted(inputs)
        let levels = inputs.options.rules
        let check = CampaignCheck(linted, levels)
        let files = Set([path] + (campaign?.blocks.map(\.text.file.path) ?? []))
        let fixtures = campaign?.fixturesDocument?.file.path
        let isOwn = { (path: String) in files.contains(path) || path == fixtures }
        let unread = levels.apply(to: appFaults + apps.flatMap(\.unread))
        let errors = unread.filter { $0.severity == .error }
        var draft = self
        draft.findings =
            check.findings(with: apps, isShown: isOwn) + levels.apply(to: inputs.findings)
            + linted.findings(
                inTriggerProperties: inputs.propertyFiles.trigger, eventProperties: inputs.propertyFiles.event,
                besides: [inputs.options.context], levels)
        draft.findingsOfMessages = errors + check.findings(in: [.campaign, .message])
        if appFaults.isEmpty, let campaign {
            draft.findingsOfMessages += levels.apply(to: match.note(on: campaign))
        }
        if campaign?.tests.isEmpty == false {
            let testFindings = errors + check.findings(in: [.campaign, .test])
            draft.preventsTests = testFindings.contains { $0.severity == .error }
        }
        draft.findingsOfProfiles = ProfileFindings(linted, levels)
        let others = appCheck?.findings(ofAppsOf: check, levels) ?? []
        draft.findingsOfApps = unread.filter { $0.severity < .error } + others.without(unread + draft.findings)
        return draft
    }

    /// The revision of a file.
    static func revision(of bytes: [UInt8]) -> String {
        var hash = StableHash()
        hash.add(bytes[...])
        return hash.value.hexadecimal(digits: 16)
    }

    /// The name of the campaign, which is the name of its file without the suffix.
    var name: String {
        let name = path.lastPart
        return Campaign.fileSuffixes.first(where: name.hasSuffix).map { String(name.dropLast($0.count)) } ?? name
    }

    /// The text of the draft for an editor: without a byte order mark, and with line feeds as its only line breaks.
    var text: String { LineText(file.bytes).text }

    /// Whether the page can edit the file: it is UTF-8 of at most 2 MB, and a form does not change its text.
    var isEditable: Bool {
        file.bytes.count <= 2_000_000 && String(validUTF8: file.bytes) != nil && text.isKeptByForms
    }

    /// The findings whose place is inside a text of the campaign.
    func findings(in text: TemplateText) -> [Diagnostic] {
        findings.filter { finding in
            guard let place = finding.place, place.file.path == text.file.path else { return false }
            return place.range.start >= text.range.start && place.range.end <= text.range.end
        }
    }
}

/// The text of a campaign, with the parts that could be read.
struct ReadCampaign: Sendable {
    let file: SourceFile

    /// The folder with the files that the campaign may refer to.
    let folder: DiskFolder

    /// The valid parts of the campaign; nil where nothing could be read.
    let campaign: Campaign?

    /// The faults that were found while the campaign was read.
    let diagnostics: [Diagnostic]

    /// The time when reading began, in the units of ``FileStatus/clock``.
    let start = FileStatus.clock

    /// Whether the campaign was read without errors.
    var isWhole: Bool { campaign != nil && !diagnostics.contains { $0.severity == .error } }

    init(_ file: SourceFile, in folder: DiskFolder) {
        self.file = file
        self.folder = folder
        (campaign, diagnostics) = Campaign.read(file, folder: folder)
    }

    /// The campaign read from a different text of the same file.
    func replaced(by bytes: [UInt8]) -> ReadCampaign {
        ReadCampaign(SourceFile(path: file.path, bytes: bytes), in: folder)
    }

    /// The text of a field, if it is in the campaign's own file.
    func text(of field: String) -> TemplateText? {
        campaign?.push.texts.first { $0.field.utf8.elementsEqual(field.utf8) && $0.file === file }
    }
}
