// SPDX-License-Identifier: MIT

import BrazeLiquid
import Foundation
import LiquidTemplates
import PayloadKit

/// Something that is done again and again: a campaign is rendered for one user, or a template read.
struct Workload {
    /// What is measured, and how many times.
    static let counts = [
        (name: "match-game", count: 1000), (name: "lab-progress", count: 1000), (name: "lab-register", count: 1000),
        (name: "parse-body", count: 1000), (name: "parse-64-KiB", count: 20),
    ]

    private let run: (_ count: Int) throws -> Void

    init(_ name: String) throws {
        run =
            switch name {
            case "parse-body": Self.parse(try Self.campaign("match-game").push.text("body")?.text ?? "")
            case "parse-64-KiB": Self.parse(String(repeating: Self.tags, count: 65536 / Self.tags.utf8.count))
            default: try Self.render(name)
            }
    }

    /// A line that is dense with tags.
    private static let tags = """
        {% if a.b == 'x' and c > 3 %}Hello {{ user.name | upcase | default: 'you' }}{% else %}{{ x[0].y }}{% endif %}\
        {% for i in items limit:3 %}{{ i.title | escape }} {% endfor %}{% assign z = a | append: 'q' %}

        """

    private static func campaign(_ name: String) throws -> Campaign {
        try Campaign(contentsOf: "templates/\(name).campaign.yml")
    }

    private static func parse(_ source: String) -> (Int) throws -> Void {
        let source = Array(source.utf8)
        return { count in
            for _ in 0..<count { _ = try Template(source, environment: BrazeEnvironment.standard) }
        }
    }

    private static func render(_ name: String) throws -> (Int) throws -> Void {
        var options = RenderOptions(now: Time(seconds: 1_795_165_200))
        options.timeZones = SystemTimeZones()
        var session = try campaign(name).renderer(options: options).session()
        let profile = try Profile(contentsOf: "examples/profiles/ana.json")
        let file = "examples/trigger/lab-progress.json"
        let bytes = try Data(contentsOf: URL(filePath: file))
        let properties = try LiquidObject(propertiesIn: SourceFile(path: file, bytes: Array(bytes)))
        return { count in
            for _ in 0..<count {
                guard case .rendered = session.render(profile, triggerProperties: properties) else {
                    Program.fail("an example does not render")
                }
            }
        }
    }

    /// Runs after a warm-up, and says how many allocations a run made and how many blocks it left behind.
    func measure(_ count: Int) throws -> (allocations: Double, kept: Double) {
        try run(50)
        let before = AllocationCounter.now()
        try run(count)
        let after = AllocationCounter.now()
        let allocations = Double(after.allocations - before.allocations)
        let kept = allocations - Double(after.releases - before.releases)
        return (allocations / Double(count), kept / Double(count))
    }
}

/// The numbers of the counter that `LD_PRELOAD` loads; zero without it.
enum AllocationCounter {
    static func now() -> (allocations: Int, releases: Int) {
        (count("payloadgen_allocations"), count("payloadgen_releases"))
    }

    private static func count(_ name: String) -> Int {
        guard let symbol = dlsym(nil, name) else { return 0 }
        return Int(unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)())
    }
}
