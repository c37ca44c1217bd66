// SPDX-License-Identifier: MIT

import BrazeLiquid
public import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// Tests for arms that no test of a campaign reaches, to be reviewed and moved into its file.
public struct SuggestedTests: Sendable {
    /// A file to be written.
    public struct File: Sendable {
        /// The path, relative to the campaign's folder.
        public let path: String

        /// The contents.
        public let contents: [UInt8]
    }

    /// The profiles, and as the last file the tests as YAML; empty where no test was found.
    public let files: [File]

    /// The number of tests.
    public let testCount: Int

    /// The number of arms that they reach and that no test has reached.
    public let armCount: Int

    /// The arms for which no user was found.
    public let unreached: [Int]

    /// The arms that were not tried, or not to the end, because the search had done as much work as it may.
    public let untried: [Int]

    /// Looks for a user for each arm that a coverage of the campaign's tests lacks.
    ///
    /// - Parameters:
    ///   - campaign: the campaign with its tests.
    ///   - coverage: the coverage of the tests.
    ///   - options: the options of rendering; the time is that of the first test that gives one.
    ///   - folder: the files that the tests name.
    ///   - work: the units of work of all messages that are rendered at most.
    /// - Throws: every fault of Liquid's syntax.
    public init(
        for campaign: Campaign,
        _ coverage: Coverage,
        options: RenderOptions,
        folder: some CampaignFolder,
        work: Int = ArmSearch.workLimit
    ) throws(InputError) {
        var options = options
        options.now = campaign.tests.compactMap(\.now).first ?? options.now
        options.overridesNow = true
        let map = coverage.map
        let bases = campaign.tests.compactMap { campaign.data(of: $0, in: folder) }
        var search = ArmSearch(map, try campaign.renderer(options: options), bases: bases, work: work)
        var reached = Set(map.arms.filter { coverage.takers[$0] > 0 })
        let known = reached.count
        var (unreached, untried): ([Int], [Int]) = ([], [])
        var profiles: [File] = []
        var tests = ByteBuffer()
        let stem = campaign.stem
        for arm in coverage.missing where !reached.contains(arm) {
            guard let example = search.example(of: arm) else {
                if search.isOver { untried.append(arm) } else { unreached.append(arm) }
                continue
            }
            reached.formUnion(example.arms.filter { map.text(ofArm: $0).arms.contains($0) })
            let path = "\(stem).suggested/\(profiles.count + 1).json"
            profiles.append(File(path: path, contents: Array(example.profile.utf8)))
            let text = map.text(ofArm: arm)
            tests.append("  - name: ")
            tests.appendJSON("\(text.source.field): \(text.label(ofArm: arm))")
            tests.append("\n    profile: ")
            tests.appendJSON(path)
            if example.readsClock { tests.append("\n    now: \(options.now.iso8601Text)") }
            tests.append("\n    expect: ")
            tests.append(example.expectation(showsExtras: text.source.field.hasPrefix("extras.")))
            tests.append("\n")
        }
        testCount = profiles.count
        armCount = reached.count - known
        self.unreached = unreached
        // A user that was found later may take an arm that was not tried.
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
    /// What the templates read in a test; nil where one of its files cannot be read.
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
        // What a profile has takes precedence over the properties of the test.
        context = context.laid(
            overTriggerProperties: test.triggerProperties ?? .empty, eventProperties: test.eventProperties ?? .empty
        )
        context.now = nil
        return context
    }
}

extension ArmExample {
    /// What a test expects, as JSON, which is YAML as well.
    fileprivate func expectation(showsExtras: Bool) -> String {
        var json = JSONWriter()
        json.beginObject()
        switch outcome {
        case .aborted(let reason): json.member("aborted", reason)
        case .failed(let error): json.member("failed", error.rule?.name ?? error.message)
        case .rendered(let payload):
            let root = payload.root
            if case .object(let aps)? = root["aps"], let alert = aps["alert"] {
                json.key("aps")
                json.beginObject()
                json.key("alert")
                alert.write(json: &json)
                json.endObject()
            }
            if showsExtras {
                json.key("extras")
                json.beginObject()
                for extra in payload.extras {
                    json.key(extra.key)
                    (root[extra.key] ?? .null).write(json: &json)
                }
                json.endObject()
            }
        }
        json.endObject()
        return json.buffer.string()
    }
}
