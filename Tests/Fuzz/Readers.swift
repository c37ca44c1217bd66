// SPDX-License-Identifier: MIT

import Foundation
import LiquidTemplates
import PayloadKit
import PayloadgenTestData

extension Reader {
    /// All readers of the command; each is one row in the table that a run prints.
    static var all: [Reader] {
        [
            plist("plist-xml", .text(words: Words.xml, nests: Words.xmlNests)) { $0.seeds(".plist", ".entitlements") },
            plist("plist-binary", .binaryPlist(keys: plistKeys)) { repository in
                repository.seeds(".plist", ".entitlements").compactMap { converted($0) }
            },
            plist("plist-openstep", .text(words: Words.openStep, nests: Words.openStepNests)) { repository in
                repository.seeds("Info.plist").compactMap { openStep($0) } + [Array(project.utf8)]
            },
            projectFile, configurationFile, projectSpec, swift, objectiveC, campaign, campaignJSON, contentBlock, rest,
            snapshot,
            appJSON, extras, fixtures, scenario, baseline, configuration, profile, context, profiles, gzip, zip,
            batchState, preferences,
            binaryPreferences, acknowledgement, record, liquid, braze, languageServer,
        ]
    }

    // MARK: - What is around the inputs

    private static let demo = "examples/BookDemo/"
    private static let ana = File.copy("examples/profiles/ana.json")
    private static let now = "--now 2026-11-20T09:00:00Z"

    /// The files of an app with one extension, at the paths of the repository.
    private static let app: [File] = [
        .copy(demo + "BookDemo/Info.plist"), .copy(demo + "BookDemo/BookDemo.entitlements"),
        .copy(demo + "LabProgress/Info.plist"), .copy(demo + "LabProgress/LabProgress.entitlements"),
        .copy(demo + "LabProgress/payloadgen.extras.yml"),
        .text(".payloadgen.yml", "version: 1\napps:\n  BookDemo: examples/BookDemo\n"),
    ]

    private static let labProgress = File.copy("templates/lab-progress.campaign.yml")
    private static let greeting = File.text(
        "templates/greeting.campaign.yml",
        """
        version: 1
        push:
          title: "Hi {{ ${first_name} | default: 'you' }}"
          body: "{{ custom_attribute.${points} | plus: 1 }} {{ ${last_used_app_date} | date: '%F' }}"
          extras: {track: "{{ custom_attribute.${track} }}", id: "{{ ${user_id} }}"}

        """
    )

    /// An Xcode project whose build settings come from several files that include each other.
    private static let project = XcodeProjectText(
        [
            .init(
                "Demo",
                type: "application",
                ["INFOPLIST_FILE": "App/Info.plist", "PRODUCT_BUNDLE_IDENTIFIER": "com.example.$(TARGET_NAME)"],
                embeds: ["Ext"]
            ),
            .init(
                "Ext",
                ["INFOPLIST_FILE": "$(SRCROOT)/Ext/Info.plist", "CATEGORY": "$(PREFIX)_progress"],
                debug: ["CATEGORY": "$(inherited)"]
            ),
        ],
        settings: ["PREFIX": "lab"],
        configurationFile: "Base.xcconfig"
    ).text

    private static let settings =
        "#include? \"Other.xcconfig\"\nPREFIX = lab // of all\n"
        + "RATIO[sdk=iphoneos*][config=Rel?ase] = $(A)\nA = 1;\nB = b \\\n c\n"

    private static let projectFiles: [File] = [
        .copy(demo + "BookDemo/Info.plist", to: "App/Info.plist"),
        .copy(demo + "LabProgress/Info.plist", to: "Ext/Info.plist"),
        .text("Config/Other.xcconfig", "B = $(A)\n#include \"Base.xcconfig\"\n"),
    ]

    // MARK: - Property lists and projects

    private static func plist(
        _ name: String,
        _ form: Form,
        seeds: @escaping @Sendable (Repository) -> [[UInt8]]
    ) -> Reader {
        .commands(
            name,
            at: "Ext/Info.plist",
            form,
            files: [.copy(demo + "BookDemo/Info.plist", to: "App/Info.plist")],
            [
                Invocation("lint --format json .", prints: .findings),
                Invocation("lint --fix --dry-run Ext/Info.plist", prints: .anything),
                Invocation("app .", prints: .json),
            ],
            seeds: seeds
        )
    }

    private static let projectFile = commands(
        "project",
        at: "Demo.xcodeproj/project.pbxproj",
        .text(words: Words.openStep, nests: Words.openStepNests),
        files: projectFiles + [.text("Config/Base.xcconfig", settings)],
        [Invocation("lint --format json .", prints: .findings), Invocation("app .", prints: .json)]
    ) { $0.seeds(".pbxproj") + [Array(project.utf8)] }

    private static let configurationFile = commands(
        "xcconfig",
        at: "Config/Base.xcconfig",
        .text(words: Words.settings, nests: [("$(", ")"), ("${", "}"), ("$(A:", ")")]),
        files: projectFiles + [.text("Demo.xcodeproj/project.pbxproj", project)],
        [Invocation("lint --format json .", prints: .findings), Invocation("app .", prints: .json)]
    ) { $0.seeds(".xcconfig") + [Array(settings.utf8)] }

    private static let spec = """
        name: Demo
        include: [Config/Other.yml]
        options: {bundleIdPrefix: com.example}
        settingGroups: {lab: {CATEGORY: lab_progress}}
        targetTemplates: {Panel: {platform: iOS, sources: ["${folder}"]}}
        targets:
          Demo: {type: application, platform: [iOS, macOS], info: {path: App/Info.plist}, dependencies: [{target: Ext}]}
          Ext:
            type: app-extension
            templates: [Panel]
            templateAttributes: {folder: Ext}
            settings: {groups: [lab], base: {INFOPLIST_FILE: Ext/Info.plist}, configs: {Debug: {A: $(inherited)}}}
            sources: [{path: Ext, excludes: ["**/*.m"]}]

        """

    private static let projectSpec = commands(
        "project-spec",
        at: "project.yml",
        .text(words: Words.yaml + Words.projectSpec, nests: Words.yamlNests),
        files: projectFiles + [
            .text("Config/Other.yml", "include: ../project.yml\ntargets: {Other: {type: application}}\n")
        ],
        [Invocation("lint --format json .", prints: .findings), Invocation("app .", prints: .json)]
    ) { _ in [Array(spec.utf8)] }

    // MARK: - Code

    /// A reader for the code of an extension; without the trait `SwiftSources`, Swift is only reported as unread.
    private static func code(_ name: String, at file: String, words: [String], _ endings: [String]) -> Reader {
        var reader = commands(
            name,
            at: demo + "LabProgress/" + file,
            .text(words: words, nests: Words.codeNests),
            files: app + [labProgress],
            [
                Invocation("lint --format json .", prints: .findings),
                Invocation("app examples/BookDemo", prints: .json),
                Invocation("app examples/BookDemo --write-extras --check", prints: .anything),
            ]
        ) { repository in endings.flatMap { repository.seeds($0) } }
        // The parser of Swift takes quadratic time for broken code.
        reader.debugSizeLimit = 1 << 13
        return reader
    }

    private static let swift = code(
        "swift",
        at: "Panel.swift",
        words: Words.code + Words.swift,
        [".swift.txt", "Extras.swift", "ViewController.swift", "Delegate.swift"]
    )

    private static let objectiveC = code(
        "objective-c",
        at: "Panel.m",
        words: Words.code + Words.objectiveC,
        ["objc/Panel.m"]
    )

    // MARK: - Campaigns and what they name

    private static let campaignFiles: [File] =
        app + [.copy("examples/profiles"), .copy("templates/blocks"), .copy("templates/fixtures")]

    private static func campaign(_ name: String, at path: String, _ form: Form, _ endings: [String]) -> Reader {
        .commands(
            name,
            at: path,
            form,
            files: campaignFiles,
            [
                Invocation("lint --format json .", prints: .findings),
                Invocation("lint --fix --dry-run \(path)", prints: .anything),
                Invocation("render \(path) --profile examples/profiles/ana.json \(now) --format record", prints: .json),
                Invocation("test \(path)"),
            ]
        ) { repository in endings.flatMap { repository.seeds($0) } }
    }

    private static let campaign = campaign(
        "campaign",
        at: "templates/input.campaign.yml",
        .text(words: Words.campaign, nests: Words.yamlNests + Words.liquidNests),
        [".campaign.yml", ".campaign.yaml"]
    )

    private static let campaignJSON = campaign(
        "campaign-json",
        at: "templates/input.campaign.json",
        .text(words: Words.json + Words.braze, nests: Words.brackets + Words.liquidNests),
        [".campaign.json", "ana.json", "many.ndjson"]
    )

    private static let contentBlock = commands(
        "content-block",
        at: "templates/blocks/sign_off.liquid",
        .text(words: Words.braze, nests: Words.liquidNests),
        files: app + [
            .copy("examples/profiles"), .copy("templates/fixtures"), .copy("templates/game-night.campaign.yml"),
        ],
        [
            Invocation("lint --format json .", prints: .findings),
            Invocation(
                """
                render templates/game-night.campaign.yml --profile examples/profiles/ana.json --max-work \(maxWork) \
                \(now) --format record
                """,
                prints: .json
            ),
        ]
    ) { $0.seeds(".liquid") + $0.texts(under: "template", in: "braze-liquid.json") }

    private static let rest = commands(
        "rest",
        at: "templates/body.json",
        .text(words: Words.rest, nests: Words.brackets),
        files: app + [ana, .text("templates/rest.campaign.yml", "version: 1\npush: {rest: body.json}\n")],
        [
            Invocation("lint --format json .", prints: .findings),
            Invocation(
                "render templates/body.json --profile examples/profiles/ana.json \(now) --format record",
                prints: .json
            ),
            Invocation(
                "render templates/rest.campaign.yml --profile examples/profiles/ana.json \(now) --format messages-send",
                prints: .json
            ),
        ]
    ) { _ in
        [
            """
            {"campaign_id": "c-9", "external_user_ids": ["a"], "messages": {"apple_push": {
              "alert": {"title": "T", "body": "B {{ ${first_name} }}", "title_loc_key": "K", "title_loc_args": ["a"]},
              "badge": 2, "sound": "default", "extra": {"k": "v", "n": 5}, "content-available": true,
              "custom_uri": "x://y", "use_webview": false, "asset_url": "https://x/y.png", "asset_file_type": "png",
              "notification_group_thread_id": "t", "apns_priority": 5, "expiry": "2026-12-31T00:00:00Z",
              "category": "ab_cat_yes_no", "buttons": [{"action_id": "ab_pb_yes", "action": "URI", "uri": "x://y"}]},
              "android_push": {}}}
            """,
            #"{"messages": {"apple_push": {"alert": "Hi {{ ${first_name} | default: 'you' }}"}}}"#,
        ].map { Array($0.utf8) }
    }

    private static let snapshot = commands(
        "snapshot",
        at: "templates/greeting.snapshots/one.json",
        .text(words: Words.json, nests: Words.brackets),
        files: [
            ana,
            .text(
                "templates/greeting.campaign.yml",
                """
                version: 1
                push: {title: Hi, body: You, extras: {a: "1"}}
                tests: [{name: one, profile: ../examples/profiles/ana.json, expect: {snapshot: true}}]

                """
            ),
        ],
        [Invocation("test templates/greeting.campaign.yml")]
    ) { repository in
        [Array(#"{"aps":{"alert":{"title":"Hi","body":"You"}},"a":"1","ab":{"c":null}}"#.utf8)]
            + repository.seeds("ana.json")
    }

    private static let appJSON = commands(
        "app-json",
        at: "app.json",
        .text(words: Words.app, nests: Words.brackets),
        files: [ana, labProgress],
        [
            Invocation("lint --app app.json --format json templates", prints: .findings),
            Invocation(
                "render templates/lab-progress.campaign.yml --profile examples/profiles/ana.json --app app.json \(now) "
                    + "--format record",
                prints: .json
            ),
        ]
    ) { repository in
        let folder = repository.root + "/examples/BookDemo"
        return repository.seeds("/app.json")
            + ((try? App(contentsOf: folder)).map { [$0.json(relativeTo: folder)] } ?? [])
    }

    private static let extras = commands(
        "extras",
        at: demo + "LabProgress/payloadgen.extras.yml",
        .text(words: Words.campaign, nests: Words.yamlNests),
        files: app.filter { !$0.path.hasSuffix("extras.yml") } + [ana, labProgress],
        [
            Invocation("lint --format json .", prints: .findings), Invocation("app examples/BookDemo", prints: .json),
            Invocation("generate swift \(demo)LabProgress/payloadgen.extras.yml", prints: .anything),
        ]
    ) { $0.seeds(".extras.yml") }

    private static let fixtures = commands(
        "fixtures",
        at: "templates/fixtures/game-night.yml",
        .text(words: Words.yaml + Words.profile, nests: Words.yamlNests),
        files: app + [ana, .copy("templates/blocks"), .copy("templates/game-night.campaign.yml")],
        [
            Invocation("lint --format json .", prints: .findings),
            Invocation(
                "render templates/game-night.campaign.yml --profile examples/profiles/ana.json \(now) --format record",
                prints: .json
            ),
        ]
    ) { $0.seeds("fixtures/game-night.yml", "fixtures.yml") }

    // MARK: - Other documents

    private static let scenario = commands(
        "scenario",
        at: "input.yml",
        .text(words: Words.scenario, nests: Words.yamlNests),
        [
            Invocation("simulate input.yml \(now)"),
            Invocation("simulate input.yml \(now) --format json", prints: .json),
            Invocation("simulate input.yml \(now) --format html"), Invocation("test input.yml"),
        ]
    ) {
        $0.seeds(
            "scenarios/triggers.yml",
            "scenarios/stack.yml",
            "scenarios/discarded.yml",
            "scenarios/journey.yml",
            "scenarios/push.yml",
            ".scenario.yml",
            "-once.yml"
        )
    }

    private static let baseline = commands(
        "baseline",
        at: "baseline.json",
        .text(words: Words.json + ["\"version\": 1", "\"findings\": [", "\"fingerprint\":"], nests: Words.brackets),
        files: [.text("a.campaign.yml", "version: 1\npush: {titel: x}\n")],
        [Invocation("lint --baseline baseline.json --format json .", prints: .findings)]
    ) { _ in
        [
            Array(
                #"{"version":1,"findings":[{"fingerprint":"a1","rule":"campaign-unknown-key","file":"a","message":"b"}]}"#
                    .utf8
            )
        ]
    }

    private static let configuration = commands(
        "configuration",
        at: ".payloadgen.yml",
        .text(words: Words.configuration, nests: Words.yamlNests),
        files: app.filter { $0.path != ".payloadgen.yml" } + [ana, labProgress],
        [
            Invocation("lint --format json .", prints: .findings), Invocation("test"),
            Invocation(
                "render templates/lab-progress.campaign.yml --profile examples/profiles/ana.json --format record",
                prints: .json
            ),
        ]
    ) { repository in
        let whole = """
            version: 1
            campaigns: [templates]
            apps: {BookDemo: examples/BookDemo, Other: {project: App.xcodeproj, target: A}, Lists: {plists: [a.plist]}}
            external_categories: [news_digest]
            rules: {empty-key: off, unused-assign: error}
            exclude: [Vendor, "a/**/*.yml", "!b", "[a-z]?"]
            budget: 4096

            """
        return repository.seeds(".payloadgen.yml") + [Array(whole.utf8)]
    }

    // MARK: - Users

    private static let profile = commands(
        "profile",
        at: "input.json",
        .text(words: Words.profile, nests: Words.brackets),
        files: [greeting],
        [
            Invocation(
                "render templates/greeting.campaign.yml --profile input.json \(now) --format record",
                prints: .json
            )
        ]
    ) { $0.seeds("ana.json", "full-export.json", "minimal.json", "minjun.json", "yuki.json") }

    private static let context = commands(
        "context",
        at: "input.json",
        .text(words: Words.profile, nests: Words.brackets),
        files: [
            greeting, ana,
            .text("a.liquid", "{{ a }}{{ ${a} }}{% for i in a %}{{ i }}{% endfor %}{{ content_blocks.${a} }}"),
        ],
        [
            Invocation("eval @a.liquid --context input.json --format record", prints: .json),
            Invocation("eval @a.liquid --context input.json --dialect liquid --format record", prints: .json),
            Invocation(
                "render templates/greeting.campaign.yml --profile examples/profiles/ana.json --trigger-properties input.json "
                    + "\(now) --format record",
                prints: .json
            ),
        ]
    ) { $0.seeds(".json").filter { $0.count < 4_000 } }

    private static func batch(_ name: String, at path: String, _ form: Form, prints: CommandOutput.Kind) -> Reader {
        let render = "render templates/greeting.campaign.yml --profiles \(path) \(now) --jobs 1"
        return commands(name, at: path, form, files: [greeting], [Invocation(render, prints: prints)]) {
            $0.seeds(".ndjson")
        }
    }

    private static let profiles = batch(
        "profiles",
        at: "input.ndjson",
        .text(words: Words.profile, nests: Words.brackets),
        prints: .records
    )

    private static let gzip = batch(
        "gzip",
        at: "input.ndjson.gz",
        .packed(words: Words.profile) { bytes, random in
            let half = bytes.count / 2
            return switch random.next(upperBound: UInt64(6)) {
            case 0: packed(Array(bytes[..<half])) + packed(Array(bytes[half...]))
            case 1: packed(packed(bytes))
            case 2: packed(bytes, windowBits: 15)
            default: packed(bytes)
            }
        },
        prints: .json
    )

    private static let zip = batch(
        "zip",
        at: "input.zip",
        .packed(words: Words.profile) { bytes, random in
            let names = [
                "a.ndjson", "b/c.json", "__MACOSX/._a.ndjson", "d/.DS_Store", "../x", "/etc/passwd", "a\u{1B}[31m", "",
                "a.gz",
                "dir/", "a.zip", "日本.json", "a\nb",
            ]
            func chance(_ outOf: UInt64) -> Bool { random.next(upperBound: outOf) == 0 }
            let members = (0...random.next(upperBound: UInt64(4))).map { _ in
                ZipFile.Member(
                    names[Int(random.next(upperBound: UInt64(names.count)))],
                    chance(5) ? packed(bytes) : bytes
                )
                .with { member in
                    member.isDeflated = chance(2)
                    member.hasDescriptor = chance(4)
                    member.isZip64 = chance(6)
                    if chance(12) { member.method = Int(random.next(upperBound: UInt64(100))) }
                    if chance(12) { member.flags = Int(random.next(upperBound: UInt64(1 << 16))) }
                    if chance(12) { member.checksum = UInt(random.next(upperBound: UInt64(1 << 32))) }
                }
            }
            return ZipFile(members).bytes
        },
        prints: .json
    )

    private static let batchState = commands(
        "batch-state",
        at: "out.ndjson.partial.json",
        .text(words: Words.json + ["\"campaign\":", "\"now\":", "\"input\":", "\"options\":"], nests: Words.brackets),
        files: [greeting, .copy("examples/profiles/many.ndjson"), .text("out.ndjson.partial", "{}\n")],
        isRenewed: true,
        [
            Invocation(
                "render templates/greeting.campaign.yml --profiles examples/profiles/many.ndjson --output out.ndjson "
                    + "--resume --jobs 1 \(now)"
            )
        ]
    ) { _ in
        [Array(#"{"version":1,"campaign":"1f","options":"2e","input":"3d","now":1795165200}"#.utf8)]
    }

    // MARK: - Analytics

    private static func preferences(
        _ name: String,
        _ form: Form,
        _ format: PropertyListSerialization.PropertyListFormat
    ) -> Reader {
        commands(
            name,
            at: "group.plist",
            form,
            files: [
                .text("sent.ndjson", #"{"request":1,"ids":["00000000-0000-0000-0000-000000000001"],"body":{}}"# + "\n")
            ],
            isRenewed: true,
            [
                Invocation("track --defaults group.plist --braze-id a \(now)", prints: .json),
                Invocation("track --defaults group.plist --acknowledge sent.ndjson"),
            ]
        ) { _ in preferenceLists.compactMap { try? Array(plist($0, format)) } }
    }

    private static let preferences = preferences(
        "preferences",
        .text(words: Words.xml + plistKeys.map { "<key>\($0)</key>" }, nests: Words.xmlNests),
        .xml
    )

    private static let binaryPreferences = preferences("preferences-binary", .binaryPlist(keys: plistKeys), .binary)

    /// Preferences as the code of Braze's guides leaves them.
    private static var preferenceLists: [[String: Any]] {
        let played: [String: Any] = [
            "event_name": "Played", "won": true, "score": 1, "ratio": 0.5, "at": Date(timeIntervalSince1970: 1e9),
            "tags": ["a"], "in": ["a": "b"],
        ]
        let email = (try? plist(["email": "ana@example.com"], .binary)) ?? Data()
        return [
            ["pending_custom_events": [played, played, "poison", ["event_name": ""]], "other": [1, true, 0.5]],
            [
                "pending_custom_attributes": [["plan": "gold", "count": 0], played], "pending_user_attributes": [email],
            ],
            ["pending_custom_events": (0..<150).map { _ in ["event_name": "Same"] }],
        ]
    }

    private static func plist(_ value: Any, _ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
    }

    private static let acknowledgement = commands(
        "acknowledgement",
        at: "sent.ndjson",
        .text(words: Words.json + ["\"ids\": [", "\"body\": {}", "\n"], nests: Words.brackets),
        files: [
            .text(
                "group.plist",
                "<plist><dict><key>pending_custom_events</key><array><dict><key>event_name</key><string>A</string></dict>"
                    + "</array></dict></plist>"
            )
        ],
        isRenewed: true,
        [Invocation("track --defaults group.plist --acknowledge sent.ndjson --summary")]
    ) { _ in
        [
            Array(
                """
                {"request":1,"ids":["00000000-0000-0000-0000-000000000001"],"body":{"events":[{"name":"A"}]}}
                {"request":2,"ids":["00000000-0000-0000-0000-000000000002","00000000-0000-0000-0000-000000000003"],"body":{}}

                """.utf8
            )
        ]
    }

    private static let record = commands(
        "record",
        at: "store/18f0000000000000-00000000-0000-0000-0000-000000000001.json",
        .text(
            words: Words.json + [
                "\"v\": 1", "\"id\":", "\"time\":", "\"user\": {", "\"kind\": \"event\"",
                "\"kind\": \"custom_attributes\"",
                "\"kind\": \"user_attribute\"", "{\"$inc\": 1}", "{\"$add\": [\"a\"]}", "{\"$remove\": []}",
                "\"value\":",
            ],
            nests: Words.brackets
        ),
        files: [.text("store/quarantine/.keep", "")],
        isRenewed: true,
        [Invocation("track --store store --braze-id a", prints: .json)]
    ) { _ in
        let head = #"{"v":1,"id":"00000000-0000-0000-0000-000000000001","time":"2026-11-20T09:00:00.000Z","#
        return [
            head + #""user":{"external_id":"a"},"kind":"event","name":"A","properties":{"a":1,"b":[true,{"c":"d"}]}}"#,
            head + #""kind":"custom_attributes","attributes":{"a":{"$inc":1},"b":{"$add":["x"]},"c":null,"d":0.5}}"#,
            head + #""kind":"user_attribute","name":"email","value":"ana@example.com"}"#,
        ].map { Array($0.utf8) }
    }

    // MARK: - Liquid

    /// The limit of work for a template, lower than that of users: many templates in a short time find more than a few
    /// long ones.
    private static let maxWork = 1_000_000

    private static let liquid = Reader(
        name: "liquid",
        path: "input.liquid",
        form: .text(words: Words.liquid, nests: Words.liquidNests),
        seeds: { $0.seeds(".liquid") + $0.texts(under: "template", in: "golden_liquid.json") },
        use: { input, _ in
            var settings = RenderInput(
                partials: MemoryPartials(["p": "{% include 'p' %}{{ a }}{% break %}"]),
                errorPolicy: .inline
            )
            settings.limits.outputBytes = 1 << 20
            settings.limits.work = maxWork
            var renderer = Renderer(settings)
            for mode in ErrorMode.allCases {
                guard let template = try? Template(input, mode: mode) else { continue }
                _ = template.analysis()
                _ = try? renderer.render(template, data: variables)
                if renderer.output.count > 1 << 20 { return "passed the limit of output" }
            }
            return nil
        }
    )

    private static let variables: LiquidObject = {
        let list = Value.array([.integer(1), .string("b"), .null, .float(1.5), .bool(false)])
        return LiquidObject([
            (key: "a", value: list), (key: "b", value: .string("日本 <b>x</b>")), (key: "i", value: .integer(.max)),
            (key: "o", value: .object(LiquidObject([(key: "a", value: list)]))),
        ])
    }()

    private static let braze = commands(
        "braze",
        at: "input.liquid",
        .text(words: Words.braze, nests: Words.liquidNests),
        files: [
            .text(
                "context.json",
                """
                {"user": {"first_name": "Ana", "a": [1, "b", null, 1.5]}, "custom_attributes": {"x": "日本 <b>x</b>"},
                 "event_properties": {"x": {"$time": "2026-11-20T09:00:00Z"}}, "vars": {"a": [{"a": 1}, {"a": 2}], "b": "c"},
                 "content_blocks": {"a": "{{ content_blocks.${a} }}", "b": "{{ a }}"}, "now": "2026-11-20T09:00:00Z",
                 "catalogs": {"Games": {"1234": {"title": "T"}}}, "promotion_codes": {"spring": ["S"]},
                 "connected_content": [{"url": "https://x/y", "body": {"a": 1}}]}
                """
            )
        ],
        [
            Invocation("eval @input.liquid --context context.json --max-work \(maxWork)", prints: .anything),
            Invocation(
                "eval @input.liquid --context context.json --max-work \(maxWork) --error-mode strict --format record",
                prints: .json
            ),
        ]
    ) { $0.texts(under: "template", in: "braze-liquid.json") + $0.seeds(".liquid") }

    // MARK: - Property lists in other forms

    private static let plistKeys = [
        "pending_custom_events", "pending_custom_attributes", "pending_user_attributes", "event_name", "email",
        "NSExtension",
        "NSExtensionAttributes", "UNNotificationExtensionCategory", "$archiver", "$objects", "$top", "root", "a", "",
    ]

    private static func list(_ bytes: [UInt8]) -> Any? {
        // Foundation may only read XML files that cannot make it load anything else.
        guard bytes.starts(with: Array("<?xml".utf8)) else { return nil }
        return try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    }

    private static func converted(_ bytes: [UInt8]) -> [UInt8]? {
        list(bytes).flatMap { try? Array(plist($0, .binary)) }
    }

    private static func openStep(_ bytes: [UInt8]) -> [UInt8]? {
        list(bytes).map { Array(openStepText($0).utf8) }
    }

    private static func openStepText(_ value: Any) -> String {
        switch value {
        case let members as [String: Any]:
            "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \(openStepText($0.value));\n" }.joined()
                + "}"
        case let elements as [Any]: "(" + elements.map(openStepText).joined(separator: ", ") + ")"
        case let text as String: "\"" + text.replacing("\"", with: "\\\"") + "\""
        default: "\"\(value)\""
        }
    }
}
