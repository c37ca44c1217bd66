// SPDX-License-Identifier: MIT

/// The words that are inserted into inputs of each format, and the brackets of the format.
enum Words {
    static let code = [
        "userInfo", "UNNotification", "[\"k\"]", "content", "request", "UNNotificationCategory", "identifier", "if (",
        "}",
        "return", "self", "\"", "\\(", "//", "/*", "*/", "#if DEBUG", "#endif", "static", "é", "\0",
    ]
    static let swift = [
        "guard let a = ", " as? String", " as! [String: Any]", "try? ", " ?? ", "func f(", "struct S: Decodable {",
        "enum K: String {", "case a = \"k\"", "init(from decoder: Decoder) throws", "extension Dictionary {", "{ $0 }",
        "for (key, value) in ", "switch a {", "@objc(", "#\"", "\"\"\"", ".userInfo", "!", "?.",
        "JSONDecoder().decode(",
    ]
    static let objectiveC = [
        "@\"k\"", "objectForKey:", "@implementation A", "@end", "- (void)f {", "NSDictionary *d = ", "#define K @\"k\"",
        "#define M(x) x", "^(id a) {", "[[", "]", "valueForKeyPath:", "@{", "@[", "static NSString *const",
    ]
    static let codeNests: [(String, String)] = [
        ("{ ", " }"), ("(", ")"), ("[", "]"), ("\"\\(", ")\""), ("if a { ", "}"),
    ]
    static let xml = [
        "<key>", "</key>", "<dict>", "</dict>", "<dict/>", "<array>", "</array>", "<array/>", "<string>", "</string>",
        "<string/>", "<true/>", "<false/>", "<integer>", "</integer>", "<real>", "</real>", "<date>", "</date>",
        "<data>", "</data>", "<boolean>YES</boolean>", "<plist version=\"1.0\">", "</plist>", "<!--", "-->",
        "<![CDATA[", "]]>", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "encoding=\"UTF-32\"", "encoding=\"EBCDIC\"",
        "<?pi ?>", "<!DOCTYPE plist [", "<!ENTITY a \"b\">", "]>", "&amp;", "&#0;", "&#x10FFFF;", "&#xD800;", "&a;",
        "&lt;", "xmlns:a=\"b\"", " a='1'", "<a:b>", "$(PRODUCT_NAME)", "${", "$($($(", "2026-11-20T09:00:00Z",
        "<key>NSExtension</key>", "<key>NSExtensionAttributes</key>", "<key>NSExtensionPointIdentifier</key>",
        "com.apple.usernotifications.content-extension", "com.apple.usernotifications.service",
        "UNNotificationExtensionCategory", "UNNotificationExtensionInitialContentSizeRatio",
        "UNNotificationExtensionUserInteractionEnabled", "UNNotificationExtensionDefaultContentHidden",
        "NSExtensionMainStoryboard", "NSExtensionPrincipalClass", "CFBundleIdentifier", "UIBackgroundModes",
        "remote-notification", "com.apple.security.application-groups", "aps-environment", "Braze", "AppGroup",
        "ab_cat_push_story_1", "<!-- payloadgen:disable empty-key -->", "group.",
    ]

    static let openStep = [
        "{", "}", "(", ")", ";", "=", ",", "\"", "'", "/*", "*/", "//", "<00ff>", "<0", "\\U1234", "\\777", "\\\"",
        "isa = PBXNativeTarget;", "isa = PBXGroup;", "isa = XCBuildConfiguration;", "isa = XCConfigurationList;",
        "isa = PBXCopyFilesBuildPhase;", "isa = PBXFileSystemSynchronizedRootGroup;", "isa = PBXTargetDependency;",
        "targets = (", "children = ( G );", "path = Config;", "path = \"../../../../../proc/self/environ\";",
        "sourceTree = \"<absolute>\";", "sourceTree = \"<group>\";", "sourceTree = SOURCE_ROOT;",
        "baseConfigurationReference = X;", "baseConfigurationReferenceAnchor = G;",
        "baseConfigurationReferenceRelativePath = \"../.git/config\";", "buildConfigurationList = PL;",
        "defaultConfigurationName = Debug;", "projectDirPath = \"..\";", "rootObject = P;", "dependencies = ( D );",
        "target = TDemo;", "buildSettings = { A = \"$(A)$(A)\"; B = \"$(A)$(A)\"; };",
        "INFOPLIST_FILE = App/Info.plist;",
        "\"INFOPLIST_FILE[sdk=iphoneos*]\" = x;", "PRODUCT_BUNDLE_IDENTIFIER", "CODE_SIGN_ENTITLEMENTS",
        "GENERATE_INFOPLIST_FILE = YES;", "$(inherited)", "$(SRCROOT)", "${TARGET_NAME:rfc1034identifier}", "$($(",
        "productType = \"com.apple.product-type.application\";",
    ]

    static let settings = [
        "#include \"Base.xcconfig\"\n", "#include? \"Other.xcconfig\"\n", "#include \"../Config/Other.xcconfig\"\n",
        "#include \"/proc/self/environ\"\n", "#include \"../.git/config\"\n", "#include <x>\n", "#include", "\"",
        "$(A)", "${A}", "$A", "$(A:c99extidentifier)", "$(A:default=x)", "$(inherited)", "$($(", ")", "}", " = ",
        "[sdk=iphoneos*]", "[arch=*]", "[", "]", "//", ";", "\\\n", "A = $(B)\n", "B = $(A)$(A)\n", "PRODUCT_NAME = ",
        "INFOPLIST_FILE = App/Info.plist\n", "PRODUCT_BUNDLE_IDENTIFIER = ", "RATIO", "CATEGORY",
    ]

    static let projectSpec = [
        "include: project.yml\n", "include: [Config/Other.yml]\n", "include: {path: a.yml, relativePaths: false}\n",
        "targets:REPLACE: {}\n", "templates: [Panel, Panel]\n", "targetTemplates: {Panel: {templates: [Panel]}}\n",
        "settingGroups: {lab: {groups: [lab, lab]}}\n", "groups: [lab]\n",
        "templateAttributes: {folder: \"${folder}${folder}\"}\n", "sources: ../..\n", "sources: [/]\n",
        "${folder}", "${target_name}", "$(inherited)", "platform: auto\n", "supportedDestinations: [iOS]\n",
        "configFiles: {Debug: Config/Other.xcconfig}\n", "dependencies: [{target: Demo}]\n", "excludes: [\"**\"]\n",
        "packages: {A: {path: ..}}\n", "configs: {Debug: debug}\n",
    ]

    static let yaml = [
        ": ", "- ", "? ", "|", "|2-", ">-\n", "&a ", "*a", "<<: *a", "!!binary ", "!!int ", "!x ", "---\n", "...\n",
        "%YAML 1.2\n", "# ", "#", "\"", "'", "{", "}", "[", "]", ", ", "~", "null", "yes", "010", ".inf", ".nan",
        "0x1F",
        "1:30", "2026-11-20", "2026-11-20T09:00:00Z", "\\u0000", "\\x1b", "@", "`", "# payloadgen:disable all",
    ]

    static let campaign =
        yaml + liquid + [
            "version: 1\n", "campaign:", "app: BookDemo\n", "push:\n", "  category: lab_progress\n", "  title: ",
            "  subtitle: ", "  body: ", "  uri: ", "  image: {url: \"x://y\", type: png}\n", "  sound: default\n",
            "  sound: {name: a, critical: true, volume: 0.5}\n", "  badge: 1\n", "  expiry: 2026-12-31T00:00:00Z\n",
            "  priority: 10\n", "  interruption_level: active\n", "  relevance_score: 0.5\n", "  extras:\n",
            "  buttons: [{action_id: A, action: URI, uri: \"x://y\"}]\n", "  rest: body.json\n",
            "    a: \"$json:{\\\"b\\\": {{ x }} }\"\n", "requires:\n", "  text_input: true\n",
            "  extras: {a: {type: json}}\n",
            "attributes: {a: {type: time}}\n", "content_blocks: blocks/\n", "fixtures: fixtures/game-night.yml\n",
            "tests:\n", "  - name: a\n    expect: {snapshot: true}\n", "    profile: ../examples/profiles/ana.json\n",
            "    expect: {aborted: x}\n", "    trigger_properties: {a: 1}\n", "title_loc_key: K\n",
        ]

    static let configuration =
        yaml + [
            "version: 1\n", "apps: {BookDemo: examples/BookDemo}\n", "rules: {empty-key: off}\n",
            "exclude: [\"**/*\"]\n",
            "exclude: [", "**", "*", "?", "[a-", "!", "/", "..", "campaigns: [templates]\n", "budget: 4096\n",
            "external_categories: [a]\n", "newline_at_end: keep\n", "path", "project", "target", "plists",
        ]

    static let scenario =
        yaml + [
            "messages:\n", "timeline:\n", "config: {minimum_interval: 30}\n",
            "  - {id: A, triggers: [session_start]}\n",
            "triggers: [{custom_event: a}]", "filters: [{property: a, is: 1}]", "purchase", "priority: high",
            "start: 2026-11-20T09:00:00Z", "end", "re_eligibility: always", "control: true", "timeout: 30",
            "orientation: portrait", "asset: {seconds: 1}", "extras: {a: \"{{ event_properties.${x} }}\"}",
            "  - {at: 0, event: session_start}\n", "  - {at: 40, dismiss: true}\n", "app_state: background",
            "delegate: reenqueue", "expect: [{at: 0, message: A, action: shown}]\n", "equals", "matches", "between",
            "stack_moments: documented", "session_timeout: 10", "delay: 5", "close_after: 5", "click: true",
            "wipe: true",
            "change_user: bea", "{push_click: a}", "templated: true", "at: 1e300", "filters: []",
            "pushes: [{id: P}]\n", "  - {at: 0, push: P}\n", "  - {at: 1, tap: P}\n", "app: {automation: true}\n",
            "declared_in: .", "app_state: terminated", "save: R", "reset_storage: true", "pending: guide", "of: P",
            "filters: [{property: p, comparator: matches, value: \"(a+)+$\"}]", "(a|aa)*b", "(?>.*)", "\\\\Q",
            "properties: {p: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!}",
        ]

    static let json = [
        "{", "}", "[", "]", ":", ",", "\"", "null", "true", "false", "\\u0000", "\\ud800", "\\uD83D\\uDE00", "\\x",
        "//",
        "/* */", "\"a\":", "1e400", "-0", "{\"$time\": \"2026-11-20T09:00:00Z\"}", "\u{FEFF}",
    ]

    static let profile =
        json + [
            "\"users\": [", "\"user\": {", "\"external_id\":", "\"braze_id\":", "\"custom_attributes\": {",
            "\"apps\": [",
            "\"devices\": [", "\"last_coordinates\": [1, 2]", "\"time_zone\": \"Eastern Time (US & Canada)\"",
            "\"now\":", "\"vars\": {", "\"catalogs\": {", "\"connected_content\": [", "\"promotion_codes\": {",
            "\"content_blocks\": {\"a\": \"{{ content_blocks.${a} }}\"}", "\"random_bucket\": 5",
            "\"dob\": \"1990-01-01\"",
            "{\"status\": \"rendered\", \"payload\": {}}\n", "\n", "\r\n", "\u{C}\n", "\u{0}\n",
        ]

    static let rest =
        json + [
            "\"messages\": {", "\"apple_push\": {", "\"alert\": {", "\"title\":", "\"body\":", "\"extra\": {",
            "\"badge\": 1",
            "\"sound\": \"default\"", "\"custom_uri\": \"x://y\"", "\"asset_url\": \"https://x/y.png\"",
            "\"buttons\": [",
            "\"content-available\": true", "\"title_loc_args\": [\"a\"]", "\"android_push\": {}",
            "\"apns_priority\": 5",
            "{{ ${first_name} }}", "{% abort_message() %}",
        ]

    static let app =
        json + [
            "\"version\": 2", "\"name\":", "\"extensions\": [", "\"kind\": \"content\"", "\"categories\": [",
            "\"interaction\": true", "\"user_interaction\": false", "\"ratio\": 1e300", "\"declared\": {",
            "\"reads\": [",
            "\"path\": [\"a\", \"[]\", \"b{json}\"]", "\"type\": \"integer\"", "\"required\": \"crash\"", "\"one_of\":",
            "\"place\": \"../x:1:1\"", "\"file\":", "\"line\": 0", "\"point\":", "\"extras\": {", "\"app_groups\": [",
        ]

    static let liquid = [
        "{{", "}}", "{%", "%}", "-%}", "{%-", "{%raw%}", "{% endraw %}", "{% if a %}", "{% elsif b == 1 %}",
        "{% else %}",
        "{% endif %}", "{% unless a %}", "{% for i in (1..9) %}", "{% endfor %}", "{% break %}", "{% liquid\n",
        "{% comment %}", "{% endcomment %}", "{% # x %}", "{% case a %}{% when", "{% include 'p' %}",
        "{% render 'p' %}",
        "{% capture x %}", "{% endcapture %}", "{% assign x = a %}", "{% assign x = x | append: x %}",
        "{% for i in (1..100000) %}{% assign x = x | append: x %}{% endfor %}", "| date: '%9999Y'", "| date: '%",
        "| times: 99999999999999999999", "| split: ''", "| slice: -9223372036854775808", "| truncatewords: 9",
        "| sort | uniq | reverse", "| map: 'a'", "| where: 'a', b", "| replace: '', 'x'", "| upcase", "| strip_html",
        "| escape_once", "| url_decode", "| base64_decode", "| join: ''", "| concat: a", "| sum", "| round: 99",
        "| divided_by: 0", "| modulo: 0", "| default: 1, allow_false: true", "(1..1000000000000)", "..", "[", "]", "'",
        "\"", "nil", "blank", "empty", " and ", " contains ", "forloop.parentloop", "9223372036854775807", "size",
        "first",
        "{% tablerow i in a cols: 0 %}", "{% cycle a: ", "{% increment a %}", "offset: continue", "reversed",
        "limit: -1",
    ]

    static let braze =
        liquid + [
            "${first_name}", "{{${first_name}}}", "custom_attribute.${x}", "api_trigger_properties.${x}", "${",
            "event_properties.${x}", "{% abort_message('x') %}", "{% abort_message() %}",
            "{% connected_content https://x/y :save z :retry %}", "{% catalog_items Games 1234 %}",
            "{% promotion('spring') %}", "{% message_extras :key a :value b %}", "{% random %}", "content_blocks.${a}",
            "| md5", "| sha256", "| hmac_sha1_hex: 'k'", "| json_escape", "| property_accessor: 'a'",
            "| time_zone: 'X'",
            "| number_with_delimiter", "| url_param_escape", "| as_json_string", "| random_element",
            "subscribed_state.${x}",
        ]

    static let brackets: [(open: String, close: String)] = [("[", "]"), ("{\"a\":", "}"), ("{", "}"), ("(", ")")]

    static let liquidNests: [(open: String, close: String)] = [
        ("{% if a %}", "{% endif %}"), ("{% for i in a %}", "{% endfor %}"),
        ("{% case a %}{% when 1 %}", "{% endcase %}"),
        ("{% capture a %}", "{% endcapture %}"), ("{% comment %}", "{% endcomment %}"), ("{{ a", "}}"), ("a[", "]"),
        ("{% liquid\n", "%}"), (" | append: a", ""), ("a.", ""), ("{% if a and ", " %}{% endif %}"), ("(1..", ")"),
    ]

    static let yamlNests: [(open: String, close: String)] = [
        ("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", ""), ("&a [", "]"), ("!!seq ", ""), ("a:\n ", ""),
    ]

    static let xmlNests: [(open: String, close: String)] = [
        ("<array>", "</array>"), ("<dict><key>a</key>", "</dict>"), ("<a>", "</a>"), ("<!--", "-->"),
    ]

    static let openStepNests: [(open: String, close: String)] = [("(", ")"), ("{a=", ";}"), ("$(", ")"), ("(a,", ")")]
}
