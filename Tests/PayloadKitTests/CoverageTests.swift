// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit
import Testing

/// Which branches messages take, counted with their places, and users that are found for the others.
@Suite struct CoverageTests {
    private static let text = """
        content_blocks: blocks
        push:
          title: "{% if ${vip} %}Gold{% endif %} {{ content_blocks.${sign} }}"
          body: >-
            {% case ${language} %}{% when 'ja' %}こんにちは
            {% else %}Hello{% endcase %}
          extras: {"level": "{{ custom_attribute.${level} | default: 1 }}"}
        """

    private static let files = ["blocks/sign.liquid": "{% if ${city} %}{{ ${city} }}{% else %}nowhere{% endif %}"]

    private static func renderer(_ text: String = text, _ files: [String: String] = files) throws -> CampaignRenderer {
        try Messages.campaign(text, files).renderer(options: RenderOptions(now: Messages.now))
    }

    private static func lines(_ coverage: Coverage) -> [String] {
        coverage.map.branches.map { branch in
            let text = coverage.map.text(ofBranch: branch)
            let start = text.place(ofBranch: branch).start
            let place = "\(text.source.file.path):\(start.line):\(start.column)"
            return "\(place) \(text.label(ofBranch: branch)): \(coverage.takers[branch])/\(coverage.times[branch])"
        }
    }

    @Test func `branches of fields and content blocks are counted at their places in the files`() throws {
        let renderer = try Self.renderer()
        var session = renderer.session(counting: renderer.coverageMap)
        _ = session.render(try Messages.profile(#"{"country": "NO", "home_city": "Oslo"}"#))
        _ = session.render(try Messages.profile(#"{"language": "ja", "custom_attributes": {"level": 7}}"#))
        let counted = session.coverage
        let coverage = try #require(counted)
        #expect(coverage.messages == 2)
        #expect(
            Self.lines(coverage) == [
                "a.campaign.yml:3:11 if ${vip}: 0/0",
                "a.campaign.yml:3:11 no branch: if ${vip}: 2/2",
                "a.campaign.yml:5:27 when 'ja': 1/1",
                "a.campaign.yml:6:5 else: 1/1",
                "a.campaign.yml:7:53 default not used: custom_attribute.${level}: 1/1",
                "a.campaign.yml:7:53 default used: custom_attribute.${level}: 1/1",
                "blocks/sign.liquid:1:1 if ${city}: 1/1",
                "blocks/sign.liquid:1:30 else: 1/1",
            ]
        )
        #expect(coverage.takenCount == 7 && coverage.branchCount == 8)
    }

    @Test func `coverages of several sessions add up to that of one`() throws {
        let renderer = try Self.renderer()
        let map = renderer.coverageMap
        let profiles = try ["{}", #"{"language": "ja"}"#, #"{"home_city": "Rio"}"#].map(Messages.profile)
        var whole = renderer.session(counting: map)
        var sum = Coverage(map)
        for profile in profiles {
            _ = whole.render(profile)
            var session = renderer.session(counting: map)
            _ = session.render(profile)
            if let part = session.coverage { sum.add(part) }
        }
        let lines = whole.coverage.map(Self.lines)
        #expect(Self.lines(sum) == lines)
        #expect(sum.messages == 3)
    }

    @Test func `counting changes no message`() throws {
        let renderer = try Self.renderer()
        var plain = renderer.session()
        var counting = renderer.session(counting: renderer.coverageMap, recordsSpans: true)
        for json in ["{}", #"{"home_city": "Rio", "language": "ja"}"#] {
            let profile = try Messages.profile(json)
            guard case .rendered(let one) = plain.render(profile),
                case .rendered(let other) = counting.render(profile)
            else { throw InputError(.invalid, []) }
            #expect(one.bytes == other.bytes)
        }
    }

    @Test func `a content block of a profile is not that of the campaign`() throws {
        let renderer = try Self.renderer()
        var session = renderer.session(counting: renderer.coverageMap)
        let profile = #"{"user": {}, "content_blocks": {"sign": "{% if ${city} %}a{% else %}b{% endif %}"}}"#
        _ = session.render(try Messages.profile(profile))
        _ = session.render(try Messages.profile("{}"))
        _ = session.render(try Messages.profile(profile))
        let counted = session.coverage
        let coverage = try #require(counted)
        let block = Self.lines(coverage).filter { $0.hasPrefix("blocks/") }
        #expect(block.map { String($0.suffix(3)) } == ["0/0", "1/1"])
        #expect(coverage.messages == 3)
    }

    @Test func `a recorded message tells where each byte comes from`() throws {
        let renderer = try Self.renderer()
        var session = renderer.session(counting: renderer.coverageMap, recordsSpans: true)
        let message = session.record(try Messages.profile(#"{"home_city": "Rio", "language": "ja"}"#))
        let title = try #require(message.texts.first { $0.field == "title" })
        #expect(title.output == " Rio")
        let places = title.spans.map { span in
            let text = String(decoding: Array(title.output.utf8)[span.output], as: UTF8.self)
            return "\(text) ← \(span.place.map { "\($0.file.path) \($0.file.text(in: $0.range))" } ?? "")"
        }
        #expect(places == ["  ← a.campaign.yml  ", "Rio ← blocks/sign.liquid {{ ${city} }}"])
        #expect(message.texts.map(\.field).contains("extras.level"))
        #expect(message.branches.count > 3)
    }

    // MARK: - Users for branches

    /// Conditions, each of which the search can fulfil and break.
    private static let conditions = [
        "${first_name} == 'Ana'", "${first_name} != 'Ana'", "custom_attribute.${n} > 3", "custom_attribute.${n} <= 3",
        "${city} == blank", "${city} != blank", "custom_attribute.${tags} contains 'gold'", "${city}",
        "${city} == 'Oslo' and custom_attribute.${n} > 3", "${city} == 'Oslo' or ${city} == 'Rio'",
        "api_trigger_properties.${x} == 'y'", "{{ ${city} | default: 'Rio' }} == 'Oslo'",
    ]

    @Test(arguments: conditions) func `a user is found for both sides of a condition`(condition: String) throws {
        let text = "push: {title: \"{% if \(condition) %}a{% else %}b{% endif %}\"}"
        try Self.expectUsers(forAllBranchesOf: text)
    }

    private static let templates = [
        "{% case ${language} %}{% when 'ja', 'jp' %}a{% when 'ko' %}b{% else %}c{% endcase %}",
        "{% assign n = custom_attribute.${n} | default: 0 | plus: 2 %}{% if n > 9 %}a{% elsif n > 4 %}b{% endif %}",
        "{% for t in custom_attribute.${tags} %}{% if t == 'x' %}a{% endif %}{% else %}none{% endfor %}",
        "{% for t in custom_attribute.${wishes} %}{% unless t.name == 'x' %}a{% endunless %}{% endfor %}",
        "{% if ${city} != blank %}{% if ${city} == 'Rio' %}{{ ${first_name} | default: 'you' }}{% endif %}{% endif %}",
        "{% if custom_attribute.${n} == blank %}{% abort_message('none') %}{% endif %}{% if ${city} %}a{% endif %}",
        "{% if custom_attribute.${a} == custom_attribute.${b} %}a{% endif %}",
    ]

    @Test(arguments: templates) func `a user is found for every branch`(template: String) throws {
        try Self.expectUsers(forAllBranchesOf: "push: {title: \"\(template)\"}")
    }

    private static func expectUsers(forAllBranchesOf text: String) throws {
        let renderer = try renderer(text, [:])
        let map = renderer.coverageMap
        var search = BranchSearch(map, renderer, bases: [])
        for branch in map.branches {
            let label = map.text(ofBranch: branch).label(ofBranch: branch)
            let found = search.example(of: branch)
            let example = try #require(found, "\(label)")
            // The JSON that is written is the user that was rendered.
            var session = renderer.session(counting: map)
            _ = session.render(try Messages.profile(example.profile))
            let takers = session.coverage?.takers[branch]
            #expect(takers == 1, "\(label): \(example.profile)")
        }
    }

    @Test(arguments: [
        ("{% if ${city} == 'Rio' %}{% if ${city} == 'Oslo' %}a{% endif %}{% endif %}", [true, false, true, true]),
        // No user has a variable that the message never sets.
        ("{% if city.name == 'Rio' %}a{% endif %}", [false, true]),
    ])
    func `no user is found for a branch that nobody can reach`(_ title: String, _ expected: [Bool]) throws {
        let renderer = try Self.renderer("push: {title: \"\(title)\"}", [:])
        var search = BranchSearch(renderer.coverageMap, renderer, bases: [])
        let branches = renderer.coverageMap.branches
        var found: [Bool] = []
        for branch in branches { found.append(search.example(of: branch) != nil) }
        #expect(found == expected)
    }

    @Test func `of a long chain the nearest conditions are named, and the others counted`() throws {
        let branches = (1..<3_000).map { "{% elsif ${country} == '\($0)' %}\($0)" }.joined()
        let text = "push: {title: \"{% if ${country} == '0' %}0\(branches){% else %}x{% endif %}\"}"
        let map = try Self.renderer(text, [:]).coverageMap
        let words = map.branches.map { map.text(ofBranch: $0).conditions(ofBranch: $0).joined() }
        #expect(words[2] == "${country} is '2', and ${country} is not '0', and ${country} is not '1'")
        #expect(words[9].hasSuffix("${country} is not '8', and 1 earlier condition does not hold"))
        #expect(words[3_000].hasPrefix("${country} is not '2992', and "))
        #expect(words[3_000].hasSuffix("${country} is not '2999', and none of 2992 earlier conditions holds"))
        #expect(words.reduce(0) { $0 + $1.utf8.count } < 1_000_000)
        #expect(map.branches.allSatisfy { map.text(ofBranch: $0).reads(ofBranch: $0) == ["${country}"] })
    }

    @Test func `the last of many conditions is reached by the values of the nearest`() throws {
        let branches = (1..<20_000).map { "{% elsif ${country} == '\($0)' %}\($0)" }.joined()
        let text = "push: {title: \"{% if ${country} == '0' %}0\(branches){% endif %}\"}"
        let renderer = try Self.renderer(text, [:])
        let map = renderer.coverageMap
        var search = BranchSearch(map, renderer, bases: [])
        let branch = try #require(map.branches.dropLast().last)
        let found = search.example(of: branch)
        #expect(found?.profile.contains("\"19999\"") == true)
    }

    @Test func `branches that the search does not come to are counted`() throws {
        let branches = (1..<400).map { "{% elsif ${country} == '\($0)' %}\($0)" }.joined()
        let text = "push: {title: \"{% if ${country} == '0' %}0\(branches){% endif %}\"}"
        let campaign = try Messages.campaign(text)
        let options = RenderOptions(now: Messages.now)
        let coverage = Coverage(try campaign.renderer(options: options).coverageMap)
        let suggested = try SuggestedTests(
            for: campaign, coverage, options: options, folder: EmptyFolder(), work: 300_000)
        #expect(suggested.testCount > 0 && !suggested.untried.isEmpty && suggested.unreached.isEmpty)
        #expect(suggested.branchCount + suggested.untried.count == coverage.missing.count)
        let whole = try SuggestedTests(for: campaign, coverage, options: options, folder: EmptyFolder())
        #expect(whole.untried.isEmpty && whole.branchCount == coverage.missing.count)
    }

    @Test func `suggested tests hold only what a branch needs, and pass`() throws {
        let text =
            Self.text + """

                tests:
                  - name: ana
                    profile: ana.json
                    expect: {aps: {alert: {body: Hello}}}
                """
        let ana = #"{"external_id": "ana", "first_name": "Ana", "home_city": "Rio", "language": "en"}"#
        let campaign = try Messages.campaign(text, Self.files.merging(["ana.json": ana]) { $1 })
        let options = RenderOptions(now: Messages.now)
        let folder = MemoryFolder(Self.files.merging(["ana.json": ana]) { $1 })
        let map = try campaign.renderer(options: options).coverageMap
        let result = try campaign.run(campaign.tests[0], options: options, folder: folder, counting: map)
        let coverage = try #require(result.coverage)
        #expect(coverage.missing.count == 4)
        let suggested = try SuggestedTests(for: campaign, coverage, options: options, folder: folder)
        #expect(suggested.unreached.isEmpty)
        #expect(suggested.branchCount == 4)
        var files = Self.files.merging(["ana.json": ana]) { $1 }
        for file in suggested.files { files[file.path] = String(decoding: file.contents, as: UTF8.self) }
        let yaml = try #require(suggested.files.last)
        let entries = String(decoding: yaml.contents, as: UTF8.self).split(separator: "tests:\n").last ?? ""
        let whole = text + "\n" + entries
        let grown = try Messages.campaign(whole, files)
        var sum = Coverage(map)
        for test in grown.tests {
            let result = try grown.run(test, options: options, folder: MemoryFolder(files), counting: map)
            #expect(result.mismatches.isEmpty, "\(test.name): \(result.mismatches)")
            if let part = result.coverage { sum.add(part) }
        }
        #expect(sum.missing.isEmpty)
        #expect(!files.contains { $0.key.hasSuffix("1.json") && $0.value.contains("Ana") })
    }
}
