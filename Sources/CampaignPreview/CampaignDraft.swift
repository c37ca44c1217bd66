// SPDX-License-Identifier: MIT

import DiagnosticSources
import POSIXFiles
import PayloadKit
import PayloadLinting

/// A campaign with the text in the page's form, saved or not: its contents, its findings, and how it is rendered.
struct CampaignDraft: Sendable {
    /// The path of the file.
    let path: String

    /// The file with the text of the draft.
    let file: SourceFile

    /// The revision of the file, a hash of its bytes, on which the text is based.
    let base: String

    /// Whether the text differs from the saved file.
    let isEdited: Bool

    /// The valid parts of the campaign; nil if nothing can be read.
    let campaign: Campaign?

    /// Whether the campaign was read without errors.
    let isValid: Bool

    /// The app with which messages are compared: one of ``apps``; nil if no app is known.
    let app: App?

    /// The apps that the campaign may be for; several if each of them claims its category.
    let apps: [App]

    /// The findings in the campaign, its content blocks and its fixtures, about how it fits the app, and about inputs
    /// that are not read; empty until ``checked(_:)`` finds them.
    private(set) var findings: [Diagnostic] = []

    /// The findings that `render` reports about every message of the campaign; empty until ``checked(_:)`` finds them.
    private(set) var findingsOfMessages: [Diagnostic] = []

    /// The findings in the files of the apps; empty until ``checked(_:)`` finds them.
    ///
    /// No message fails its checks because of them.
    private(set) var findingsOfApps: [Diagnostic] = []

    /// Finds faults in the profiles for which the campaign is rendered; nil until ``checked(_:)`` prepares it.
    private(set) var findingsOfProfiles: ProfileFindings?

    /// Whether errors in the campaign keep `payloadgen test` from running its tests.
    private(set) var preventsTests = false

    private let read: ReadCampaign
    private let match: AppMatch

    /// The project that contains the apps; nil if there is none, or if it cannot be read.
    let appCheck: AppCheck?

    /// The findings that prevent the apps from being read.
    private let appFaults: [Diagnostic]

    /// Creates a draft.
    ///
    /// - Parameters:
    ///   - read: the text of the draft.
    ///   - saved: the bytes of the saved file.
    ///   - base: the revision on which the text is based; nil for the revision of the saved file.
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
        isValid = read.isValid
    }

    /// The custom attributes, catalogs and events of the Braze workspace; nil if they are not known.
    var registry: WorkspaceRegistry? { read.folder.workspace?.registry }

    private func linted(_ inputs: PreviewInputs) -> LintedCampaign {
        LintedCampaign(
            file,
            read: (read.campaign, read.diagnostics),
            folder: read.folder,
            isExplicitInput: true,
            options: inputs.options,
            dataNames: Set(inputs.options.context.variableNames)
        ) { _ in match }
    }

    /// A function that returns whether a comment in the campaign suppresses a warning; nil if no comment is allowed to.
    func suppression(_ inputs: PreviewInputs) -> (@Sendable (Diagnostic) -> Bool)? {
        CampaignCheck.maySuppress(in: file) ? CampaignCheck.suppression(in: linted(inputs)) : nil
    }

    /// The draft with its findings, which take longer to find than the draft takes to read and render.
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
            check.findings(with: apps, isReported: isOwn) + levels.apply(to: inputs.findings)
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

    /// The revision of a file, a hash of its bytes.
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

    /// Whether the page can edit the file: it is UTF-8 of at most 2 MB, and a form would return its text unchanged.
    var isEditable: Bool {
        file.bytes.count <= 2_000_000 && String(validUTF8: file.bytes) != nil && text.isKeptByForms
    }

    /// The findings with a place inside a text of the campaign.
    func findings(in text: TemplateText) -> [Diagnostic] {
        findings.filter { finding in
            guard let place = finding.place, place.file.path == text.file.path else { return false }
            return place.range.start >= text.range.start && place.range.end <= text.range.end
        }
    }
}

/// A campaign that was read from a text, with the parts that are valid.
struct ReadCampaign: Sendable {
    let file: SourceFile

    /// The folder with the files to which the campaign can refer.
    let folder: DiskFolder

    /// The valid parts of the campaign; nil if nothing can be read.
    let campaign: Campaign?

    /// The findings that were made while the campaign was read.
    let diagnostics: [Diagnostic]

    /// The time when reading began, from ``FileStatus/clock``.
    let start = FileStatus.clock

    /// Whether the campaign was read without errors.
    var isValid: Bool { campaign != nil && !diagnostics.contains { $0.severity == .error } }

    init(_ file: SourceFile, in folder: DiskFolder) {
        self.file = file
        self.folder = folder
        (campaign, diagnostics) = Campaign.read(file, folder: folder)
    }

    /// The campaign read again, from another text of the same file.
    func replaced(by bytes: [UInt8]) -> ReadCampaign {
        ReadCampaign(SourceFile(path: file.path, bytes: bytes), in: folder)
    }

    /// The text of a field; nil if it is in another file, such as a REST body.
    func text(of field: String) -> TemplateText? {
        campaign?.push.texts.first { $0.field.utf8.elementsEqual(field.utf8) && $0.file === file }
    }
}
