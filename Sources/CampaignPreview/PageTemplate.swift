// SPDX-License-Identifier: MIT

package import PayloadKit

/// A page of payloadgen: a Liquid template in the folder `Page`, whose outputs are all escaped for HTML.
package struct PageTemplate: Sendable {
    /// The page that `simulate --format html` writes.
    package static let timeline = PageTemplate(name: "timeline")

    /// The page that `render --report` writes about a batch.
    package static let batch = PageTemplate(name: "batch")

    /// The page that `preview` serves.
    static let preview = PageTemplate(name: "preview")

    /// The body of the page that `preview` serves.
    static let page = PageTemplate(name: "page")

    /// The parts of the preview that show the message of one person.
    static let parts = PageTemplate(name: "parts")

    /// The page that `preview --output` writes.
    static let still = PageTemplate(name: "static")

    /// The page that `preview --output` writes for several campaigns, beside the page of each of them.
    static let gallery = PageTemplate(name: "gallery")

    private let name: String

    /// The source of each page and each part, by its name.
    private static let sources = [
        "batch": PackageResources.batch_liquid,
        "batch_numbers": PackageResources.batch_numbers_liquid,
        "batch_share": PackageResources.batch_share_liquid,
        "batch_sizes": PackageResources.batch_sizes_liquid,
        "branch": PackageResources.branch_liquid,
        "branches": PackageResources.branches_liquid,
        "budget": PackageResources.budget_liquid,
        "checks": PackageResources.checks_liquid,
        "choice": PackageResources.choice_liquid,
        "clock": PackageResources.clock_liquid,
        "code": PackageResources.code_liquid,
        "copy": PackageResources.copy_liquid,
        "compare": PackageResources.compare_liquid,
        "cover": PackageResources.cover_liquid,
        "entry": PackageResources.entry_liquid,
        "file": PackageResources.file_liquid,
        "fit": PackageResources.fit_liquid,
        "gallery": PackageResources.gallery_liquid,
        "head": PackageResources.head_liquid,
        "icon": PackageResources.icon_liquid,
        "icons": PackageResources.icons_liquid,
        "message": PackageResources.message_liquid,
        "note": PackageResources.note_liquid,
        "notification": PackageResources.notification_liquid,
        "page": PackageResources.page_liquid,
        "parts": PackageResources.parts_liquid,
        "payload": PackageResources.payload_liquid,
        "people": PackageResources.people_liquid,
        "person": PackageResources.person_liquid,
        "phone": PackageResources.phone_liquid,
        "place": PackageResources.place_liquid,
        "preview": PackageResources.preview_liquid,
        "profile": PackageResources.profile_liquid,
        "radios": PackageResources.radios_liquid,
        "result": PackageResources.result_liquid,
        "row": PackageResources.row_liquid,
        "state": PackageResources.state_liquid,
        "static": PackageResources.static_liquid,
        "timeline": PackageResources.timeline_liquid,
        "value": PackageResources.value_liquid,
    ]

    private static let environment = Environment(requiresKnownFilters: true, escapesHTML: true)
    private static let partials = MemoryPartials(
        sources.mapValues { source in
            // Line breaks and indentation are left out, as they are only for readers of the template; an empty line
            // makes a line break in the page.
            lines(of: source).map { $0.isEmpty ? "\n" : String($0) }.joined()
        })

    /// The style sheet of the preview.
    static let style = withoutComments(PackageResources.page_css)

    /// The style sheet of the preview with additional rules for reports.
    private static let styleOfReports = style + withoutComments(PackageResources.report_css)

    /// A style sheet or script without its indentation and without the lines that are comments.
    static func withoutComments(_ source: [UInt8]) -> String {
        lines(of: source).filter { !$0.hasPrefix("//") && !($0.hasPrefix("/*") && $0.hasSuffix("*/")) }
            .joined(separator: "\n")
    }

    /// The lines of a source, without their indentation.
    private static func lines(of source: [UInt8]) -> [Substring] {
        let source = String(decoding: source, as: UTF8.self)
        return source.dropLast(source.hasSuffix("\n") ? 1 : 0)
            .split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
    }

    /// The page as HTML.
    ///
    /// - Parameters:
    ///   - model: the values that the template shows.
    ///   - undefined: what happens if the template reads a value that the model does not have.
    /// - Returns: the page.
    /// - Throws: an error if the page exceeds a limit, or the template has a fault.
    package func html(
        _ model: PageModel,
        undefined: RenderInput.UndefinedPolicy = .ignoring
    ) throws(LiquidError) -> ByteBuffer {
        var model = model
        if model.object["style"] == nil { model["style"] = Value.string(Self.styleOfReports) }
        var input = RenderInput(data: model.object, isDataShared: true, partials: Self.partials)
        input.undefinedPolicy = undefined
        input.limits.work = .max
        input.limits.liveBytes = .max
        input.limits.outputBytes = .max
        input.limits.stringBytes = .max
        let source = try Self.partials.source(ofPartial: name)
        let template = try Template(source, name: name, environment: Self.environment, mode: .strict2)
        var renderer = Renderer(input)
        _ = try renderer.render(template)
        var html = ByteBuffer(capacity: renderer.output.count)
        renderer.output.withUnsafeBytes { html.append($0) }
        return html
    }

    /// The page as UTF-8.
    func bytes(_ model: PageModel) throws(PreviewProblem) -> [UInt8] {
        do throws(LiquidError) { return try html(model).withUnsafeBytes { Array($0) } } catch {
            throw PreviewProblem("the page cannot be written: \(error.message)")
        }
    }

    /// The page as a string.
    func text(_ model: PageModel) throws(PreviewProblem) -> String {
        String(decoding: try bytes(model), as: UTF8.self)
    }
}
