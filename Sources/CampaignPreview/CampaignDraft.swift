// SPDX-License-Identifier: MIT

import DiagnosticSources
import POSIXFiles
import PayloadKit
import PayloadLinting

/// A campaign as its text is now, saved or not: what it says, what is wrong with it, and how it is rendered.
struct CampaignDraft: Sendable {
    /// The path of the file.
    let path: String

    /// The file with the text of the draft.
    let file: SourceFile

    /// The revision of the file that the text is based on: a hash of its bytes.
    let base: String

    /// Whether the text differs from the file.
    let isEdited: Bool

    /// The campaign, as far as it can be read; nil where nothing can.
    let campaign: Campaign?

    /// Whether the campaign was read without errors.
    let isWhole: Bool

    /// The app that messages are checked against: one of ``apps``.
    let app: App?

    /// The apps that the campaign may be for: several where each claims its category.
    let apps: [App]

    /// The findings in the campaign, its content blocks, its fixtures and in how it fits the app, and those about
    /// inputs that are not read; none before ``checked(_:)``.
    private(set) var findings: [Diagnostic] = []

    /// The findings that `render` reports about every message of the campaign; none before ``checked(_:)``.
    private(set) var findingsOfMessages: [Diagnostic] = []

    /// The findings in the files of the apps themselves, with which no message fails; none before ``checked(_:)``.
    private(set) var findingsOfApps: [Diagnostic] = []

    /// Finds what is wrong with the profiles that the campaign is rendered for; nil before ``checked(_:)``.
    private(set) var findingsOfProfiles: ProfileFindings?

    /// Whether `payloadgen test` runs no test of the campaign, because of errors in it.
    private(set) var preventsTests = false

    private let read: ReadCampaign
    private let match: AppMatch

    /// The project of the apps; nil where there is none, or it cannot be read.
    let project: ProjectApps?

    /// Why the apps cannot be read.
    private let appFaults: [Diagnostic]

    /// Reads a draft.
    ///
    /// - Parameters:
    ///   - read: the text of the draft.
    ///   - saved: the bytes of the file that it is based on.
    ///   - base: the revision that the text is based on; nil for that of the file.
    ///   - inputs: what the preview shows.
    ///   - apps: the apps of the project, or why they cannot be read; nil for the app of the options alone.
    ///   - number: the number of the app among those that the campaign may be for.
    init(
        _ read: ReadCampaign,
        saved: [UInt8],
        base: String?,
        inputs: PreviewInputs,
        apps: Result<ProjectApps, InputError>?,
        choosing number: Int
    ) {
        let file = read.file
        let path = file.path
        self.path = path
        self.base = base ?? Self.revision(of: saved)
        isEdited = file.bytes != saved
        self.file = file
        self.read = read
        project = try? apps?.get()
        if case .failure(let error)? = apps { appFaults = error.diagnostics } else { appFaults = [] }
        match =
            inputs.app.map { AppMatch([$0]) }
            ?? project.flatMap { project in read.campaign.map { project.match($0, at: path) } } ?? .none
        self.apps = match.apps
        app = self.apps.indices.contains(number) ? self.apps[number] : self.apps.first
        campaign = read.campaign?.requiring(self.apps, besides: inputs.options.externalCategories)
        isWhole = read.isWhole
    }

    /// What the workspace of Braze has; nil where none is known.
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

    /// Decides whether a comment in the campaign suppresses a warning about a message; nil where there is no comment.
    func suppression(_ inputs: PreviewInputs) -> (@Sendable (Diagnostic) -> Bool)? {
        CampaignCheck.maySuppress(in: file) ? CampaignCheck.suppression(in: linted(inputs)) : nil
    }

    /// The same draft with its findings, which take longer to find than the draft to read and to render.
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
        let others = project?.findings(ofAppsOf: check, levels) ?? []
        draft.findingsOfApps = unread.filter { $0.severity < .error } + others.without(unread + draft.findings)
        return draft
    }

    /// The revision of a file.
    static func revision(of bytes: [UInt8]) -> String {
        var hash = StableHash()
        hash.add(bytes[...])
        return hash.value.hexadecimal(digits: 16)
    }

    /// The name of the campaign: that of the file without its suffix.
    var name: String {
        let name = path.lastPart
        return Campaign.fileSuffixes.first(where: name.hasSuffix).map { String(name.dropLast($0.count)) } ?? name
    }

    /// The text of the draft for an editor: without a byte order mark, with a line feed after each line.
    var text: String { LineText(file.bytes).text }

    /// Whether the file can be edited here: UTF-8 with at most 2 MB.
    var isEditable: Bool {
        file.bytes.count <= 2_000_000 && String(validUTF8: file.bytes) != nil && text.isKeptByForms
    }

    /// The findings whose place, or a related one, is in the texts of a field.
    func findings(in text: TemplateText) -> [Diagnostic] {
        findings.filter { finding in
            guard let place = finding.place, place.file.path == text.file.path else { return false }
            return place.range.start >= text.range.start && place.range.end <= text.range.end
        }
    }
}

/// The text of a campaign, and what could be read of it.
struct ReadCampaign: Sendable {
    let file: SourceFile

    /// The files that it may refer to.
    let folder: DiskFolder

    /// The campaign; nil where nothing could be read.
    let campaign: Campaign?

    /// What was found while it was read.
    let diagnostics: [Diagnostic]

    /// When the reading began, as ``FileStatus/clock`` has it.
    let start = FileStatus.clock

    /// Whether it was read without errors.
    var isWhole: Bool { campaign != nil && !diagnostics.contains { $0.severity == .error } }

    init(_ file: SourceFile, in folder: DiskFolder) {
        self.file = file
        self.folder = folder
        (campaign, diagnostics) = Campaign.read(file, folder: folder)
    }

    /// Another text of the same file.
    func replaced(by bytes: [UInt8]) -> ReadCampaign {
        ReadCampaign(SourceFile(path: file.path, bytes: bytes), in: folder)
    }

    /// The text of a field that is in the file itself.
    func text(of field: String) -> TemplateText? {
        campaign?.push.texts.first { $0.field.utf8.elementsEqual(field.utf8) && $0.file === file }
    }
}
