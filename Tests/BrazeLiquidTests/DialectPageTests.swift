// SPDX-License-Identifier: MIT

import BrazeLiquid
import Foundation
import LiquidProgramListings
import LiquidTemplates
import PayloadgenTestSupport
import Testing

/// The pages of the documentation say what the library does.
@Suite
struct DialectPageTests {
    private static let catalog = "../../Sources/BrazeLiquid/BrazeLiquid.docc"

    private static let page: String = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "\(catalog)/Dialect.md")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }()

    @Test(arguments: PageExample.all(in: page))
    func `the examples of the dialect's page print what it says`(_ example: PageExample) {
        #expect(example.outcome == example.expected)
    }

    @Test
    func `the examples of the dialect's page compile to what is stored`() {
        let listings = PageExample.all(in: Self.page).map { example in
            let template = try? Template(example.template, environment: BrazeEnvironment.standard)
            return "== \(example.template)\n" + (template?.listing ?? "cannot be read\n")
        }
        expectSnapshot(listings.joined(separator: "\n"), named: "Dialect.listing")
    }

    /// The tags that do something; `include` and `render` are there to be refused.
    private static let tags = BrazeTags.all.map(\.name).filter { $0 != "include" && $0 != "render" }

    @Test(arguments: tags)
    func `every tag of Braze has a section that begins with its summary and shows it`(_ name: String) throws {
        let tag = try #require(BrazeTags.all.first { $0.name == name })
        let isShown = PageExample.all(in: Self.page).contains { $0.template.contains("{% \(name)") }
        #expect(isShown)
        #expect(Self.page.contains("\n### \(name)\n\n\(tag.summary)\n"))
    }

    @Test(arguments: BrazeEnvironment.standard.tagNames)
    func `every tag is named`(_ name: String) {
        #expect(Self.page.contains("`\(name)`") || Self.page.contains("\n### \(name)\n"))
    }

    @Test
    func `the page of filters is that of the table`() {
        expectSnapshot(FilterPage.text, named: "Filters.md", in: Self.catalog)
    }
}

/// An example of a page: a fenced template, the context where there is one, and what comes of it.
struct PageExample: Sendable, CustomTestStringConvertible {
    let template: String
    var context = "{}"
    var expected = ""

    var testDescription: String { template }

    var outcome: String {
        do {
            return try rendered(template, context)
        } catch {
            return "error: " + ((error as? LiquidError)?.message ?? "\(error)")
        }
    }

    static func all(in page: String) -> [PageExample] {
        var examples: [PageExample] = []
        // A fence opens with the name of its language; every other part lies between fences.
        let parts = page.components(separatedBy: "```")
        for block in stride(from: 1, to: parts.count, by: 2).map({ parts[$0] }) {
            guard let lineEnd = block.firstIndex(of: "\n") else { continue }
            let text = String(block[block.index(after: lineEnd)...].dropLast())
            switch (block[..<lineEnd], examples.indices.last) {
            case ("liquid", _): examples.append(PageExample(template: text))
            case ("json", let last?): examples[last].context = text
            case ("text", let last?): examples[last].expected = text
            default: Issue.record("a fence of '\(block[..<lineEnd])' that no example takes")
            }
        }
        return examples
    }
}

/// The page of filters, written from the tables.
private enum FilterPage {
    static var text: String {
        let braze = Set(BrazeFilters.all.map(\.name))
        let standard = FilterDefinition.standard.filter { !braze.contains($0.name) }
        let unsupported = BrazeFilters.unsupported.sorted().map { "`\($0)`" }.joined(separator: ", ")
        return """
            # Filters

            Every filter of Braze's dialect, with what its examples print.

            ## Overview

            The first argument follows a colon; further arguments follow commas. An unknown filter passes its input
            through.

            ## Braze's own filters

            \(BrazeFilters.all.map(section).joined(separator: "\n"))
            ## Filters of standard Liquid

            \(standard.map(section).joined(separator: "\n"))
            ## What Braze does not support

            Braze lists these as not supported. Those that standard Liquid has work here all the same; the others pass
            their input through.

            \(unsupported)

            """
    }

    private static func section(_ filter: FilterDefinition) -> String {
        var lines = ["### \(filter.name)", "", filter.summary, ""]
        for example in filter.examples {
            lines += ["```liquid", example.template, "```", "```text", example.output, "```", ""]
        }
        return lines.joined(separator: "\n")
    }
}
