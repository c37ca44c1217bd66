// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import Testing

@Suite struct FiltersExampleTests {
    @Test(arguments: FilterDefinition.standard.map(\.name))
    func `the examples of a filter print what they say`(_ name: String) throws {
        let filter = try #require(FilterDefinition.standard.first { $0.name == name })
        var renderer = Renderer(RenderInput())
        for example in filter.examples {
            _ = try renderer.render(Template(example.template))
            #expect(renderer.output.string() == example.output, "\(example.template)")
        }
    }

    @Test func `every filter has a name of its own, a summary and an example`() {
        let filters = FilterDefinition.standard
        #expect(Set(filters.map(\.name)).count == filters.count)
        for filter in filters {
            #expect(filter.summary.hasSuffix(".") && !filter.examples.isEmpty, "\(filter.name)")
        }
    }

    @Test(arguments: [
        ("{{ 'a' | upcase: 1 }}", "wrong number of arguments (given 2, expected 1)"),
        ("{{ 'a' | slice }}", "wrong number of arguments (given 1, expected 2..3)"),
        ("{{ 'a' | replace_last: 'b' }}", "wrong number of arguments (given 2, expected 3)"),
    ])
    func `the number of arguments is checked`(_ template: String, _ words: String) throws {
        var renderer = Renderer(RenderInput())
        let template = try Template(template)
        let error = #expect(throws: LiquidError.self) { try renderer.render(template) }
        #expect(error?.referenceText == words)
    }
}
