// SPDX-License-Identifier: MIT

import BrazeLiquid
import Foundation
import LiquidTemplates
import PayloadgenTestSupport
import Testing

/// The cases that were collected from Braze's documentation.
@Suite
struct BrazeCaseTests {
    /// The cases that fall short, with the reason.
    static let known: [String: String] = [:]

    private static let path = "braze-liquid.json"

    private static let cases: [BrazeCase] = {
        guard let file = caseFile(path), let data = try? Data(contentsOf: file),
            case .array(let cases)? = try? Value(json: String(decoding: data, as: UTF8.self))
        else { return [] }
        return cases.compactMap(BrazeCase.init)
    }()

    @Test(.needsCases(path), arguments: cases)
    func `templates render as Braze documents it`(_ testCase: BrazeCase) {
        let outcome = testCase.outcome()
        if let reason = Self.known[testCase.id] {
            #expect(outcome != testCase.expected, "\(testCase.id) passes now, and is listed as failing: \(reason)")
        } else {
            #expect(outcome == testCase.expected, "\(testCase.template)")
        }
    }
}

/// A template, its context, and what comes of it.
struct BrazeCase: Sendable, CustomTestStringConvertible {
    /// What came of a template.
    enum Outcome: Equatable {
        case text(String, extras: [String: String])
        case aborted(String)
        case failed(String)

        static func == (left: Outcome, right: Outcome) -> Bool {
            switch (left, right) {
            case (.text(let left, let leftExtras), .text(let right, let rightExtras)):
                left.utf8.elementsEqual(right.utf8) && leftExtras == rightExtras
            case (.aborted(let left), .aborted(let right)): left == right
            // A case does not say how an error reads.
            case (.failed, .failed): true
            default: false
            }
        }
    }

    let id: String
    let template: String
    let context: LiquidObject
    let expected: Outcome

    init?(_ value: Value) {
        guard case .object(let object) = value, case .string(let id)? = object["id"],
            case .string(let template)? = object["template"], case .object(let context)? = object["context"]
        else { return nil }
        self.id = id
        self.template = template
        self.context = context
        switch (object["expected"], object["aborts"]) {
        case (.string(let text)?, _):
            var extras: [String: String] = [:]
            if case .object(let members)? = object["message_extras"] {
                for (key, value) in zip(members.keys, members.values) {
                    if case .string(let text) = value { extras[key] = text }
                }
            }
            expected = .text(text, extras: extras)
        case (_, .string("template_parse_error")?): expected = .failed("")
        case (_, .string(let reason)?): expected = .aborted(reason)
        default: return nil
        }
    }

    var testDescription: String { id }

    func outcome() -> Outcome {
        do throws(LiquidError) {
            var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0), timeZones: SystemTimeZones()))
            let template = try Template(template, environment: BrazeEnvironment.standard)
            try renderer.begin(RenderContext(shortForm: context))
            switch try renderer.render(template) {
            case .aborted(let reason): return .aborted(reason)
            case .rendered:
                let extras = Dictionary(renderer.messageExtras.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
                return .text(renderer.text, extras: extras)
            }
        } catch {
            return .failed(error.message)
        }
    }
}

/// The zones of the machine that runs the tests.
struct SystemTimeZones: TimeZoneProvider {
    func offset(of identifier: String, at seconds: Int) -> (utcOffset: Int, abbreviation: String)? {
        guard let zone = TimeZone(identifier: identifier) else { return nil }
        let date = Date(timeIntervalSince1970: Double(seconds))
        return (zone.secondsFromGMT(for: date), zone.abbreviation(for: date) ?? identifier)
    }
}
