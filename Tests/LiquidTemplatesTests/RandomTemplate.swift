// SPDX-License-Identifier: MIT

import PayloadgenTestSupport

@testable import LiquidTemplates

/// Writes random templates that can be read, and data for them.
struct RandomTemplate {
    /// How deep content blocks may nest in the dialect of the tests, as at Braze.
    static let blockDepth = 2

    /// A dialect with attributes, content blocks and a tag that stops the message.
    static let environment = Environment(
        dialect: "test",
        tags: TagDefinition.standard + [
            TagDefinition("halt", summary: "Ends the message.", effects: .stops) { (_) throws(LiquidError) in
                0
            } run: { (_, _, _) throws(LiquidError) in
                .stop(reason: "halt")
            }
        ],
        partialsMember: "content_blocks",
        partialsDepth: blockDepth
    )

    private static let attributes = ["name", "city", "count", "vip", "tags"]
    private static let words = ["a", "Oslo", "", " ", "Ünal", "x y"]

    var random: SplitMix
    private var depth = 0
    private var loops = 0
    private var partials: [String] = []
    private var mayLeave = false
    private var mayInclude = true

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    /// The sources of a template and of two partials, the first of which may contain the second.
    mutating func templates() -> [String: String] {
        partials = []
        let inner = source(count: 2)
        partials = ["inner"]
        // A template that 'render' runs may not use 'include'.
        mayInclude = false
        let outer = source(count: 3)
        mayInclude = true
        partials = ["inner", "outer"]
        return ["inner": inner, "outer": outer, "main": source(count: 6)]
    }

    /// The attributes of a user.
    mutating func data() -> [String: TreeInterpreter.Datum] {
        var data: [String: TreeInterpreter.Datum] = [:]
        for name in Self.attributes where Int.random(in: 0..<4, using: &random) > 0 {
            switch name {
            case "count": data[name] = .number(Int.random(in: 0...4, using: &random))
            case "vip": data[name] = .flag(Bool.random(using: &random))
            case "tags":
                data[name] = .list((0..<Int.random(in: 0...3, using: &random)).map { _ in .text(word()) })
            default: data[name] = .text(word())
            }
        }
        return data
    }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }

    private mutating func word() -> String { pick(Self.words) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func source(count: Int) -> String {
        depth += 1
        defer { depth -= 1 }
        return (0..<Int.random(in: 1...count, using: &random)).map { _ in node() }.joined()
    }

    /// The body of a tag, from which `break` and `continue` are possible or not.
    private mutating func body(mayLeave: Bool? = nil) -> String {
        let outer = self.mayLeave
        self.mayLeave = mayLeave ?? outer
        defer { self.mayLeave = outer }
        return source(count: 3)
    }

    private mutating func node() -> String {
        let kinds = depth > 4 ? 7 : 17
        switch Int.random(in: 0..<kinds, using: &random) {
        case 0, 1: return pick(["text ", "\n", "é<b>", "  ", "t"])
        case 2, 3: return (chance(20) ? "{{- " : "{{ ") + value() + (chance(20) ? " -}}" : " }}")
        case 4: return "{% assign v = \(value()) %}"
        case 5:
            return pick([
                "{% increment n %}", "{% cycle 'p', 'q' %}", "{% raw %}{{ r }}{% endraw %}",
                "{% comment %}c{% endcomment %}", "${name}",
                "{% echo ${city} | upcase %}", chance(20) ? "{% halt %}" : "",
            ])
        case 6:
            if mayLeave, chance(50) { return pick(["{% break %}", "{% continue %}"]) }
            let partial = partials.randomElement(using: &random)
            guard let partial else { return "-" }
            return pick([
                mayInclude ? "{% include '\(partial)' %}" : "", "{% render '\(partial)' %}",
                "{{content_blocks.${\(partial)}}}",
                "{{content_blocks.${\(partial)} | append: ''}}", "{{content_blocks.${\(partial)} | upcase}}",
                "{% assign v = content_blocks.${\(partial)} %}",
            ])
        case 7...10:
            let name = pick(["if", "if", "unless"])
            var text = "{% \(name) \(condition()) %}\(body())"
            while chance(30) { text += "{% elsif \(condition()) %}\(body())" }
            if chance(50) { text += "{% else %}\(body())" }
            return text + "{% end\(name) %}"
        case 11, 12:
            var text = "{% case \(operand()) %}"
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                text += "{% when \(literal()), \(literal()) %}\(body(mayLeave: false))"
            }
            if chance(50) { text += "{% else %}\(body(mayLeave: false))" }
            return text + "{% endcase %}"
        case 13, 14:
            loops += 1
            let options = pick(["", " limit: 2", " reversed"])
            var text = "{% for v\(loops % 3) in \(pick(["${tags}", "(1..3)", "${name}", "${vip}"]))\(options) %}"
            text += body(mayLeave: true)
            if chance(50) { text += "{% else %}\(body())" }
            return text + "{% endfor %}"
        case 15: return "{% capture v %}\(body(mayLeave: false)){% endcapture %}"
        default:
            let body = body(mayLeave: false)
            return pick([
                "{% ifchanged %}\(body){% endifchanged %}", "{% tablerow v1 in ${tags} %}\(body){% endtablerow %}",
            ])
        }
    }

    private mutating func operand() -> String { pick(["${name}", "${city}", "${count}", "${vip}", "v", "v1"]) }

    private mutating func literal() -> String { pick(["'a'", "'Oslo'", "''", "2", "true", "nil"]) }

    private mutating func value() -> String {
        var text = operand()
        while chance(40) { text += pick([" | default: 'd'", " | upcase", " | append: ${city}", " | default: v"]) }
        return text
    }

    private mutating func condition() -> String {
        var text = term()
        while chance(30) { text += pick([" and ", " or "]) + term() }
        return text
    }

    private mutating func term() -> String {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: operand()
        case 1: "${count} < 3"
        case 2: "${tags} contains 'a'"
        case 3: "{{ ${name} | default: 'a' }} == 'a'"
        case 4: "\(operand()) \(pick(["==", "!="])) \(pick(["blank", "empty"]))"
        default: "\(operand()) \(pick(["==", "!="])) \(literal())"
        }
    }
}
