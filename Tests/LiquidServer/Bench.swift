// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts
import LiquidTemplates
import MessageDigests

/// Workloads from a file: `[{"id", "templates": […], "partials": {…}, "data": […], "parse": bool, "render": bool}]`.
enum Bench {
    /// Measures each workload of a file, and prints one line of JSON for each of its phases.
    static func run(_ path: String) {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            Console.fail("cannot read '\(path)'")
        }
        do throws(JSONError) {
            for workload in try Value(json: String(decoding: bytes, as: UTF8.self)).array {
                if let workload = workload.object { run(workload) }
            }
        } catch {
            Console.fail("\(path): \(error.message)")
        }
    }

    private static func run(_ workload: LiquidObject) {
        let id = workload["id"]?.text ?? ""
        let sources = (workload["templates"]?.array ?? []).map { Array($0.text.utf8) }
        let data = (workload["data"]?.array ?? []).map { $0.object ?? .empty }
        let templates: [Template]
        do throws(LiquidError) {
            var parsed: [Template] = []
            for source in sources { parsed.append(try Template(source)) }
            templates = parsed
        } catch {
            Console.fail("\(id): \(error.inlineText)")
        }
        if workload["parse"]?.isTrue ?? false {
            let timing = measure { operations in
                for source in sources {
                    _ = try? Template(source)
                    operations += 1
                }
            }
            report(id, "parse", timing, bytes: sources.reduce(0) { $0 + $1.count }, sha: "")
        }
        if workload["render"]?.isTrue ?? true { render(id, templates, data, workload) }
    }

    private static func render(
        _ id: String,
        _ templates: [Template],
        _ data: [LiquidObject],
        _ workload: LiquidObject
    ) {
        let partials = SpecPartials(workload["partials"]?.object ?? .empty)
        var renderer = Renderer(
            RenderInput(
                isDataShared: true,
                clock: .current,
                timeZones: NoTimeZones(),
                partials: partials,
                errorPolicy: .inline
            )
        )
        var output: [UInt8] = []
        for object in data {
            for template in templates {
                _ = try? renderer.render(template, data: object)
                renderer.output.withUnsafeBytes { output += $0 }
            }
        }
        let digest = (MessageDigest.sha256.digest(of: output) ?? []).prefix(6).map { $0.hexadecimal(digits: 2) }
        // A loop over the templates would retain and release each of them, which takes longer than a short rendering
        // should.
        let uncounted = templates.map { Unmanaged.passUnretained($0) }
        let timing = measure { operations in
            for object in data {
                for template in uncounted {
                    template._withUnsafeGuaranteedRef { _ = try? renderer.render($0, data: object) }
                }
            }
            operations += data.count * templates.count
        }
        report(id, "render", timing, bytes: output.count, sha: digest.joined())
    }

    private struct Timing {
        var nanoseconds: Double
        var spread: Double
        var operations: Int
    }

    /// The median of five samples of at least a quarter of a second each, after a warm-up.
    private static func measure(_ pass: (inout Int) -> Void) -> Timing {
        var samples: [Double] = []
        var operationsInPass = 0
        pass(&operationsInPass)
        for _ in 0..<5 {
            var operations = 0
            let clock = ContinuousClock()
            let start = clock.now
            var elapsed = Duration.zero
            repeat {
                pass(&operations)
                elapsed = clock.now - start
            } while elapsed < .milliseconds(250)
            let parts = elapsed.components
            let nanoseconds = Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9
            samples.append(nanoseconds / Double(max(operations, 1)))
        }
        samples.sort()
        return Timing(
            nanoseconds: samples[2],
            spread: (samples[4] - samples[0]) / samples[2],
            operations: operationsInPass
        )
    }

    private static func report(_ id: String, _ phase: String, _ timing: Timing, bytes: Int, sha: String) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("case", id)
        writer.member("phase", phase)
        writer.key("ns")
        writer.double((timing.nanoseconds * 10).rounded() / 10)
        writer.key("spread")
        writer.double((timing.spread * 1000).rounded() / 1000)
        writer.member("ops", timing.operations)
        writer.member("bytes", bytes)
        writer.member("sha", sha)
        writer.endObject()
        Console.write(writer.buffer.string())
    }
}
