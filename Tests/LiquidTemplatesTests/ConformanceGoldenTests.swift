// SPDX-License-Identifier: MIT

import Foundation
import LiquidTemplates
import PayloadgenTestSupport
import Testing

/// A case of golden-liquid.
struct GoldenCase: CustomTestStringConvertible, Sendable {
    static let path = "golden-liquid/golden_liquid.json"

    /// The cases that are known to fail, with the reason.
    static let knownFailures: [String: String] = [:]

    let name: String
    private let members: LiquidObject

    static let all: [GoldenCase] = {
        guard let file = caseFile(path), let data = try? Data(contentsOf: file),
            let suite = try? Value(json: String(decoding: data, as: UTF8.self))
        else { return [] }
        return (suite.conformanceObject["tests"]?.conformanceArray ?? []).map { GoldenCase($0.conformanceObject) }
    }()

    private init(_ members: LiquidObject) {
        self.members = members
        name = members["name"]?.conformanceText ?? ""
    }

    var testDescription: String { name }

    /// Why the case fails; nil when it passes.
    func problem() -> String? {
        let isInvalid = members["invalid"]?.isConformanceTrue ?? false
        let tags = (members["tags"]?.conformanceArray ?? []).compactMap(\.conformanceText)
        var run = ConformanceRun()
        run.template = members["template"]?.conformanceText ?? ""
        run.data = members["data"]?.conformanceObject ?? .empty
        run.partials = members["templates"]?.conformanceObject ?? .empty
        run.mode = tags.contains("strict") ? .strict : tags.contains("strict2") || isInvalid ? .strict2 : .lax
        run.showsErrors = !isInvalid
        let (ending, text) = run.end()
        if isInvalid { return ending == .ok ? "printed '\(text)', expected an error" : nil }
        let results = (members["results"]?.conformanceArray ?? [members["result"] ?? .null]).compactMap(
            \.conformanceText
        )
        if ending == .ok, results.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return nil }
        return "ended as \(ending.rawValue) with '\(text)', expected '\(results.joined(separator: "' or '"))'"
    }
}

@Suite(.needsCases(GoldenCase.path)) struct ConformanceGoldenTests {
    @Test(arguments: GoldenCase.all)
    func `renders as the case says`(_ golden: GoldenCase) {
        expectConformance(golden.problem(), knownFailure: GoldenCase.knownFailures[golden.name], golden.name)
    }

    @Test func `counts the cases`() {
        var count = ConformanceCount()
        for golden in GoldenCase.all {
            count.count(golden.problem() == nil, isListed: GoldenCase.knownFailures[golden.name] != nil)
        }
        count.report("golden-liquid")
        #expect(!GoldenCase.all.isEmpty)
    }
}
