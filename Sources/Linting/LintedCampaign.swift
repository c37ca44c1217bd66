// SPDX-License-Identifier: MIT

package import AppBundles
import BrazeLiquid
import Liquid
package import PayloadKit
package import SourceText

/// A campaign as the rules see it: its texts, and everything that reading and checking it has found.
package struct LintedCampaign: Sendable {
    /// The file.
    package let file: SourceFile

    /// What could be read; nil where the file has no form at all.
    package let campaign: Campaign?

    /// The app that it is sent to; nil where it is not known.
    package let app: App?

    /// Whether the user named the file, instead of a folder that holds it.
    package let isNamed: Bool

    /// What reading the campaign and matching it with its app has found.
    package let diagnostics: [Diagnostic]

    /// The texts that Liquid renders, in the order of the payload.
    let texts: [LintedText]

    /// The places of the texts by their fields.
    private let textsByField: [String: Int]

    /// Reads a campaign, and checks what is the same for every user.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - folder: what is around it.
    ///   - isNamed: whether the user named the file.
    ///   - options: budget and external categories; nothing is rendered, so that the time does not matter.
    ///   - findApp: gives the app that it is sent to; nil where it is not known.
    package init(
        _ file: SourceFile,
        folder: some CampaignFolder = EmptyFolder(),
        isNamed: Bool = false,
        options: RenderOptions = RenderOptions(now: Time(seconds: 0)),
        app findApp: (Campaign) -> App? = { _ in nil }
    ) {
        let (read, reading) = Campaign.read(file, folder: folder)
        let app = read.flatMap(findApp)
        let campaign = read.map { campaign in app.map(campaign.requiring) ?? campaign }
        self.file = file
        self.campaign = campaign
        self.app = app
        self.isNamed = isNamed
        guard let campaign else {
            diagnostics = reading
            texts = []
            textsByField = [:]
            return
        }
        texts = campaign.push.texts.map { LintedText($0) }
        textsByField = Dictionary(
            texts.enumerated().map { ($1.source.field, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        do throws(InputError) {
            let renderer = try campaign.renderer(options: options)
            // What an unread part would have said is not missing.
            guard !reading.contains(where: { $0.severity == .error }) else {
                diagnostics = reading + campaign.findings
                return
            }
            let size = renderer.leastSizeFinding().map { [$0] } ?? []
            diagnostics = reading + renderer.checkFindings(app: app) + size
        } catch {
            diagnostics = reading + campaign.findings + error.diagnostics
        }
    }

    /// What the extension reads of the pairs.
    var requirements: [RequiredExtra] { campaign?.requirements?.extras ?? [] }

    /// The text that gives a field its value.
    func text(of source: TemplateText) -> LintedText? {
        textsByField[source.field].map { texts[$0] }
    }
}

/// A text of a campaign with what is known of its template.
struct LintedText: Sendable {
    /// The text.
    let source: TemplateText

    /// The template, without what cannot be read; nil where the text needs no rendering or nothing of it can be read.
    let template: Template?

    /// Whether all of the template could be read, so that what is not in it is nowhere.
    let isWhole: Bool

    /// What the template reads, sets and calls.
    let analysis: TemplateAnalysis

    static let environment = BrazeEnvironment.standard

    init(_ source: TemplateText) {
        self.source = source
        let (template, faults) =
            source.holdsLiquid ? Template.reading(source.text, environment: Self.environment) : (nil, [])
        self.template = template
        isWhole = faults.isEmpty
        analysis = template?.analysis() ?? TemplateAnalysis()
    }

    /// The bytes of the template; none where there is no template.
    var bytes: [UInt8] { template?.source.bytes ?? [] }

    /// The place in the file of a range of the text.
    func place(of range: SourceRange) -> SourcePlace { source.place(of: range) }
}
