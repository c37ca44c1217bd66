// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import Testing

/// The values that filters cannot read and that a rendering lists.
@Suite struct UnreadInputTests {
    /// The values of a rendering: the text at the place, the filter, and the number that is counted.
    private func unread(_ source: String, _ data: LiquidObject = .empty) throws -> [String] {
        var renderer = Renderer(RenderInput(clock: Time(seconds: 0)))
        _ = try renderer.render(Template(source), data: data)
        let bytes = Array(source.utf8)
        return renderer.unreadInputs.map { input in
            let place = String(decoding: bytes[input.range.offsets], as: UTF8.self)
            let filter = String(decoding: bytes[input.filterRange.offsets], as: UTF8.self)
            guard case .number(let counted) = input.need else { return "\(place) \(filter)" }
            return "\(place) \(filter) \(counted)"
        }
    }

    @Test(arguments: [
        ("1,299.00", "1"), ("12 km", "12"), ("many", "0"), ("", "0"), (" ", "0"), ("-", "0"), ("5%", "5"), (".5", "0"),
        ("+1.5", "1"), ("1e3", "1"), ("1 299", "1"), ("2026-12-24", "2026"), ("1.5.2", "1"), ("€5", "0"), ("0x1F", "0"),
        ("99999999999999999999 km", "99999999999999999999"),
    ])
    func `a text that is not a number is listed with what it counts as`(_ text: String, _ counted: String) throws {
        let data = LiquidObject([(key: "x", value: .string(text))])
        #expect(try unread("{{ x | times: 2 }}", data) == ["x times \(counted)"])
    }

    @Test(arguments: [
        "12", " 12 ", "\n-12", "1.5", " -1.50 ", "+5", "5.", "1_000", "007", "99999999999999999999", "12\u{A0}", "0.0",
    ])
    func `a text that Liquid reads as its number is not listed`(_ text: String) throws {
        let data = LiquidObject([(key: "x", value: .string(text))])
        #expect(try unread("{{ x | times: 2 }}{{ 2 | plus: x }}{{ x | round }}", data) == [])
    }

    @Test(arguments: [
        "minus: 1", "modulo: 2", "divided_by: 2", "at_least: 1", "at_most: 1", "abs", "ceil", "floor", "round: 1",
    ])
    func `every filter that calculates lists its input`(_ call: String) throws {
        let name = call.prefix { $0 != ":" }
        #expect(try unread("{{ 'a' | \(call) }}") == ["'a' \(name) 0"])
        #expect(try unread("{% assign y = x | \(call) %}") == [])
    }

    @Test(arguments: [
        ("{{ 2 | times: x }}", ["x times 0"]), ("{{ 2.5 | round: x }}", ["x round 0"]),
        ("{% assign y = t | upcase | plus: 1 %}", ["plus plus 0"]),
        ("{% assign y = t | plus: 1 %}{{ y | plus: t }}", ["t plus 0", "t plus 0"]),
        ("{{ t, b | plus: 1 }}", ["t plus 0"]), ("{{ 'a,1,b' | split: ',' | sum }}", ["sum sum 0"]),
        ("{{ true | plus: 1 }}{{ (1..2) | plus: 1 }}", ["true plus 0", "(1..2) plus 0"]),
        ("{% for i in (1..3) %}{{ t | plus: i }}{% endfor %}", ["t plus 0"]),
        ("{{ nil | plus: 1 }}{{ none | times: 2 }}{{ 1 | plus: nil }}{{ 1.5 | minus: 1 }}", []),
    ])
    func `the place is that of the value, or of the filter after another one`(
        _ source: String,
        _ expected: [String]
    ) throws {
        let data = LiquidObject([(key: "t", value: .string("a")), (key: "x", value: .string("b"))])
        #expect(try unread(source, data) == expected)
    }

    @Test(arguments: [
        ("12/24/2026", true), ("soon", true), ("2026-13-45", true), ("2026-12-24", false), ("now", false),
        ("Today", false), ("1640995200", false), ("24 December 2026", false), ("", false), (" ", false),
    ])
    func `a text that is not a date is listed, unless it is blank`(_ text: String, _ isListed: Bool) throws {
        let data = LiquidObject([(key: "x", value: .string(text))])
        #expect(try unread("{{ x | date: '%B' }}{{ x | date: '' }}", data) == (isListed ? ["x date"] : []))
        #expect(try unread("{{ x | date: '%F' | date: '%F' }}", data) == (isListed ? ["x date"] : []))
        #expect(try unread("{{ nil | date: '%B' }}{{ 5 | date: '%B' }}{{ false | date: '%B' }}", data) == [])
    }

    @Test func `a filter that fails lists its argument too`() throws {
        var input = RenderInput(clock: Time(seconds: 0))
        input.errorPolicy = .inline
        var renderer = Renderer(input)
        _ = try renderer.render(Template("{{ 1 | divided_by: 'a' }}{{ 1 | plus: 1 }}"), data: .empty)
        #expect(renderer.unreadInputs.map(\.filter) == ["divided_by"])
        _ = try renderer.render(Template("{{ 1 | plus: 1 }}"), data: .empty)
        #expect(renderer.unreadInputs.isEmpty)
    }

    @Test func `a partial is named`() throws {
        struct Partial: PartialProvider {
            func source(ofPartial name: String) throws(LiquidError) -> [UInt8] { Array("{{ 'a' | plus: 1 }}".utf8) }
        }
        for tag in ["render", "include"] {
            var renderer = Renderer(RenderInput(clock: Time(seconds: 0), partials: Partial()))
            _ = try renderer.render(Template("{% \(tag) 'p' %}{% \(tag) 'p' %}"), data: .empty)
            #expect(renderer.unreadInputs.map(\.partial) == ["p"])
        }
    }
}
