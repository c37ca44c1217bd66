// SPDX-License-Identifier: MIT

import Testing

@testable import LiquidTemplates

/// The names of tags, filters and variables.
@Suite struct NameTests {
    @Test func `of two filters or tags with one name the last is used`() throws {
        let filter = FilterDefinition("upcase", summary: "") { (_, _, _) throws(LiquidError) in .string("last") }
        let tag = TagDefinition("echo", summary: "") { (_) throws(LiquidError) -> Void in
        } run: { (_, _, renderer) throws(LiquidError) in
            renderer.write("tag")
            return .proceed
        }
        let environment = Environment(
            filters: FilterDefinition.standard + [filter],
            tags: TagDefinition.standard + [tag]
        )
        var renderer = Renderer(RenderInput())
        _ = try renderer.render(
            Template("{{ 'a' | upcase }}{{ 'B' | downcase }}{% echo 1 %}", environment: environment))
        #expect(renderer.output.string() == "lastbtag")
        #expect(environment.tagNames.filter { $0 == "echo" } == ["echo"])
    }

    @Test func `a name that only begins or is spelled like another is unknown`() {
        for name in ["dat", "dates", "newline_to_bR", "base64_url_SAFE_encode", ""] {
            #expect(Environment.standard.filterIndex(name) == nil, "\(name)")
        }
        for name in ["ec", "echos", "Echo", ""] { #expect(Environment.standard.tag(name)?.name == nil, "\(name)") }
    }

    @Test func `names of a program that begin and end alike are different`() throws {
        let names = (0..<12).map { "a_long_name_\($0 % 10)\($0 / 10)_of_a_variable" }
        let source = names.map { "{{ \($0) }}," }.joined() + names.map { "{{ x.\($0) }}" }.joined()
        let template = try Template(source)
        #expect(template.program.names.count == names.count + 1)
        #expect(template.program.keys.count == names.count)
        for (index, name) in names.enumerated() {
            #expect(template.program.names[index].text == name)
            #expect(template.program.keys[index].text == name)
        }
    }
}
