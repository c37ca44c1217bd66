// SPDX-License-Identifier: MIT

import BrazeLiquid
public import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// Tests for branches that no test of a campaign reaches, which the author reviews and moves into the campaign's file.
public struct SuggestedTests: Sendable {
    /// A file to be written.
    public struct File: Sendable {
        /// The path, relative to the campaign's folder.
        public let path: String

        /// The bytes to be written.
        public let contents: [UInt8]
    }

    /// The profiles, then a file with the tests as YAML; empty if no test was found.
    public let files: [File]

    /// The number of tests.
    public let testCount: Int

    /// The number of branches that the suggested tests reach and that no existing test reaches.
    public let branchCount: Int

    /// The branches for which no user was found.
    public let unreached: [Int]

    /// The branches that were not tried, or not completely, because the search had used up its work.
    public let untried: [Int]

    /// Looks for a user for each branch that the campaign's tests do not cover.
    ///
    /// - Parameters:
    ///   - campaign: the campaign with its tests.
    ///   - coverage: the coverage of the tests.
    ///   - options: the options of rendering; the time is taken from the first test that sets one.
    ///   - folder: the folder with the files that the tests name.
    ///   - work: the maximum work of all messages together, in the units of `Limits.work`.
    /// - Throws: all syntax errors of Liquid.
    public init(
        for campaign: Campaign,
        _ coverage: Coverage,
        options: RenderOptions,
        folder: some CampaignFolder,
        work: Int = BranchSearch.workLimit
    ) throws(InputError) {
        var options = options
        options.now = campaign.tests.compactMap(\.now).first ?? options.now
        options.overridesNow = true
        let map = coverage.map
        let bases = campaign.tests.compactMap { campaign.data(of: $0, in: folder) }
        var search = BranchSearch(map, try campaign.renderer(options: options), bases: bases, work: work)
        var reached = Set(map.branches.filter { coverage.takers[$0] > 0 })
        let known = reached.count
        var (unreached, untried): ([Int], [Int]) = ([], [])
        var profiles: [File] = []
        var tests = ByteBuffer()
        let stem = campaign.stem
        for branch in coverage.missing where !reached.contains(branch) {
            guard let example = search.example(of: branch) else {
                if search.isOver { untried.append(branch) } else { unreached.append(branch) }
                continue
            }
            reached.formUnion(example.branches.filter { map.text(ofBranch: $0).branches.contains($0) })
            let path = "\(stem).suggested/\(profiles.count + 1).json"
            profiles.append(File(path: path, contents: Array(example.profile.utf8)))
            let text = map.text(ofBranch: branch)
            tests.append("  - name: ")
            tests.appendJSON("\(text.source.field): \(text.label(ofBranch: branch))")
            tests.append("\n    profile: ")
            tests.appendJSON(path)
            if example.readsClock { tests.append("\n    now: \(options.now.iso8601Text)") }
            tests.append("\n    expect: ")
            tests.append(example.expectation(showsExtras: text.source.field.hasPrefix("extras.")))
            tests.append("\n")
        }
        testCount = profiles.count
        branchCount = reached.count - known
        self.unreached = unreached
        // A user that was found later may take a branch that was not tried itself.
        self.untried = untried.filter { !reached.contains($0) }
        guard !profiles.isEmpty else {
            files = []
            return
        }
        var yaml = ByteBuffer()
        yaml.append(
            """
            # Users for branches that no test reaches, with what they get now. Review each message, then move its test
            # into the 'tests' of the campaign.
            tests:

            """
        )
        tests.withUnsafeBytes { yaml.append($0) }
        files = profiles + [File(path: "\(stem).suggested/tests.yml", contents: yaml.withUnsafeBytes { Array($0) })]
    }
}

extension Campaign {
    /// The data that the templates read in a test; nil if one of the test's files cannot be read.
    fileprivate func data(of test: CampaignTest, in folder: some CampaignFolder) -> RenderContext? {
        var context = RenderContext.empty
        if let input = test.context {
            guard let file = input.file(in: folder), let given = try? RenderContext(file: file) else { return nil }
            context = given
        }
        if let input = test.profile {
            guard let file = input.file(in: folder), let profile = try? Profile(file: file) else { return nil }
            context = profile.context.laid(over: context)
        }
        // The values of a profile take precedence over the properties of the test.
        context = context.laid(
            overTriggerProperties: test.triggerProperties ?? .empty, eventProperties: test.eventProperties ?? .empty
        )
        context.now = nil
        return context
    }
}

extension BranchExample {
    /// The expectation of a test, as JSON, which is also valid YAML.
    fileprivate func expectation(showsExtras: Bool) -> String {
        var json = JSONWriter()
        json.beginObject()
        switch outcome {
        case .aborted(let reason): json.member("aborted", reason)
        case .failed(let error): json.member("failed", error.rule?.name ?? error.message)
        case .rendered(let payload):
            let root = payload.root
            if case .object(let aps)? = root["aps"], let alert = aps["alert"] {
                json.object("aps") { json in
                    json.key("alert")
                    alert.write(json: &json)
                }
            }
            if showsExtras {
                json.object("extras") { json in
                    for extra in payload.extras {
                        json.key(extra.key)
                        (root[extra.key] ?? .null).write(json: &json)
                    }
                }
            }
        }
        json.endObject()
        return json.buffer.string()
    }
}
