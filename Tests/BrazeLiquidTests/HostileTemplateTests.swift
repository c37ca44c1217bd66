// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import Foundation
import LiquidTemplates
import PayloadgenTestSupport
import Testing

/// Templates that are made to take time and memory, as files of the folder `Hostile`: one for each filter and tag, and
/// others for shapes of values.
///
/// `Benchmarks/hostile` runs them at the default limits and measures. Here they run at lower limits and with smaller
/// values (the variables `nNUMBER` of the context say how small), and what counts is the work that is charged.
@Suite struct HostileTemplateTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Hostile")

    private static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".liquid") }.map { String($0.dropLast(7)) }.sorted()

    private static let limits: Limits = {
        var limits = Limits()
        limits.work = 100_000
        limits.stringBytes = 1 << 16
        limits.outputBytes = 1 << 16
        limits.liveBytes = 1 << 19
        return limits
    }()

    /// The context with values that are so small that all of them can be made within the limits.
    private static func context() throws -> RenderContext {
        let text = try String(contentsOf: folder.appending(path: "context.json"), encoding: .utf8)
        guard case .object(let object) = try Value(json: text), case .object(let sizes)? = object["vars"] else {
            throw LiquidError(.argument, "context.json has no 'vars'")
        }
        var small = LiquidObject.Builder()
        for (key, value) in zip(sizes.keys, sizes.values) {
            guard case .integer(let size) = value else { continue }
            small.set(key, .integer(size > 20 ? size / 1_000 : max(0, size - 10)))
        }
        var context = LiquidObject.Builder(object)
        context.set("vars", .object(LiquidObject(small)))
        return try RenderContext(shortForm: LiquidObject(context))
    }

    @Test(arguments: names) func `a template made to hurt ends at a limit`(name: String) throws {
        let source = try String(contentsOf: Self.folder.appending(path: name + ".liquid"), encoding: .utf8)
        let template = try Template(source, environment: BrazeEnvironment.standard)
        var renderer = BrazeRenderer(
            BrazeSettings(clock: Time(seconds: 0), timeZones: SystemTimeZones(), limits: Self.limits)
        )
        renderer.begin(try Self.context())
        var limit: LiquidError.Code?
        do throws(LiquidError) { _ = try renderer.render(template) } catch { limit = error.code }
        #expect(limit == .memory, "\(name) ended without a limit: \(limit.map { "\($0)" } ?? "rendered")")
        // One operation may begin below the limit; what it takes is charged before, so only the charge goes beyond.
        #expect(renderer.work <= Self.limits.work + 1)
    }

    @Test func `each filter and tag has a template`() {
        let names = Set(Self.names.map { $0.split(separator: "-").prefix(2).joined(separator: "-") })
        let filters = BrazeEnvironment.standard.filters.map { "filter-" + $0.name }
        // Tags that are refused when a template is read, or that only end another one's body.
        let idle: Set = ["#", "break", "continue", "decrement", "doc", "include", "render", "liquid"]
        let tags = BrazeEnvironment.standard.tagNames.filter { !idle.contains($0) }.map { "tag-" + $0 }
        let missing = (filters + tags).filter { !names.contains($0) }
        #expect(missing == [], "no file of the folder Hostile begins with one of these")
    }

    @Test func `the fields of a message share its limits`() throws {
        var limits = Limits()
        limits.work = 10_000
        limits.outputBytes = 100
        let template = try Template("{% for i in (1..500) %}{% assign x = i %}{% endfor %}")
        let text = try Template("{% for i in (1..40) %}a{% endfor %}")
        var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0), limits: limits))
        for _ in 0..<3 {
            renderer.begin(.empty)
            _ = try renderer.render(template)
            let one = renderer.work
            #expect(one > 2_000 && one < 5_000)
            _ = try renderer.render(template)
            #expect(renderer.work == 2 * one)
            #expect(throws: LiquidError.self) { while true { _ = try renderer.render(template) } }
            renderer.begin(.empty)
            _ = try renderer.render(text)
            _ = try renderer.render(text)
            #expect(throws: LiquidError.self) { try renderer.render(text) }
        }
    }
}
