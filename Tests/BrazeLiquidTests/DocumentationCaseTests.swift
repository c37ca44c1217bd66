// SPDX-License-Identifier: MIT

import Foundation
import LiquidTemplates
import PayloadgenTestSupport
import Testing

/// Templates of Braze's pages, with shortened copy: each renders as its page says, or as the page's slip has it.
///
/// White space is not compared, as the pages do not show it.
@Suite
struct DocumentationCaseTests {
    /// One template with one user.
    struct Rendering: Sendable, CustomTestStringConvertible {
        let page: String
        let isSlip: Bool
        let testCase: BrazeCase

        var testDescription: String { testCase.id }
    }

    static let renderings: [Rendering] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Snapshots/documentation.json")
        guard let data = try? Data(contentsOf: file),
            case .array(let templates)? = try? Value(json: String(decoding: data, as: UTF8.self))
        else { return [] }
        return templates.flatMap { entry -> [Rendering] in
            guard case .object(let entry) = entry, case .string(let page)? = entry["page"],
                let template = entry["template"], case .array(let renderings)? = entry["renderings"]
            else { return [] }
            return renderings.compactMap { rendering in
                guard case .object(let rendering) = rendering else { return nil }
                var whole = LiquidObject.Builder()
                for (key, value) in zip(rendering.keys, rendering.values) { whole.set(key, value) }
                whole.set("template", template)
                return BrazeCase(.object(LiquidObject(whole))).map {
                    Rendering(page: page, isSlip: rendering["slip"] != nil, testCase: $0)
                }
            }
        }
    }()

    @Test func `there are renderings of several pages, and the slips are named`() {
        #expect(Self.renderings.count >= 149)
        #expect(Set(Self.renderings.map(\.page)).count >= 3)
        #expect(Self.renderings.count(where: \.isSlip) == 13)
    }

    @Test(arguments: renderings)
    func `a template of a page renders as the page says`(_ rendering: Rendering) {
        #expect(words(of: rendering.testCase.outcome()) == words(of: rendering.testCase.expected))
    }

    /// An outcome without its white space.
    private func words(of outcome: BrazeCase.Outcome) -> BrazeCase.Outcome {
        guard case .text(let text, let extras) = outcome else { return outcome }
        return .text(text.split(whereSeparator: \.isWhitespace).joined(separator: " "), extras: extras)
    }
}
