// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import Testing

/// The examples in the definitions of tags.
@Suite struct TagExampleTests {
    @Test(arguments: TagDefinition.standard) func `examples print what they say`(tag: TagDefinition) throws {
        #expect(!tag.examples.isEmpty && tag.summary.hasSuffix("."))
        for example in tag.examples {
            #expect(example.template.contains(tag.name))
            for mode in ErrorMode.allCases {
                var renderer = Renderer(RenderInput(partials: MemoryPartials(["greeting": "Hi {{ name }}"])))
                _ = try renderer.render(Template(example.template, mode: mode))
                #expect(renderer.output.string() == example.output)
            }
        }
    }
}
