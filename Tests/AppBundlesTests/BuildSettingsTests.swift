// SPDX-License-Identifier: MIT

import AppBundles
import Testing

@Suite struct BuildSettingsTests {
    private let settings = BuildSettings([
        .table([
            "ID": "com.example.$(NAME:lower)", "FLAGS": "$(inherited) -a", "SELF": "$(SELF)x", "ONE": "$(TWO)",
            "TWO": "$(ONE)", "NAME": "My App", "PICK": "$(CHOICE_$(CONFIGURATION))", "CHOICE_Debug": "d",
        ]),
        .table(["FLAGS": "-b", "SELF": "y", "CONFIGURATION": "Debug", "EMPTY": ""]),
    ])

    @Test(arguments: [
        ("$(NAME)", "My App"), ("${NAME}", "My App"), ("a$(NAME)b", "aMy Appb"), ("$(ID)", "com.example.my app"),
        ("$(NAME:rfc1034identifier)", "My-App"), ("$(NAME:c99extidentifier)", "My_App"), ("$(NAME:upper)", "MY APP"),
        ("$(FLAGS)", "-b -a"), ("$(SELF)", "yx"), ("$(PICK)", "d"), ("$(NONE:default=x)", "x"),
        ("$(EMPTY:default=x)", "x"), ("$(EMPTY)", ""), ("no reference", "no reference"), ("a$b", "a$b"),
        ("a$(NONE)", "a"), ("$(CHOICE_$(NONE))", ""), ("$NAME", "My App"),
        ("a.$CONFIGURATION-$NAME.b", "a.Debug-My App.b"),
        ("$$NAME", "$$NAME"), ("$NAME$(NAME)", "My AppMy App"),
    ])
    func `references are replaced`(text: String, expected: String) {
        #expect(settings.expand(text) == expected)
    }

    @Test(arguments: ["$(NAME:unheard)", "$(ONE)", "$(NAME", "$()", "${$(NONE)}", "$(PROJECT_DIR)"])
    func `what nobody knows stays as it is written`(text: String) {
        #expect(App.holdsBuildSetting(settings.expand(text)))
    }

    @Test func `what a missing file would say is unknown, with all below it`() {
        let settings = BuildSettings([.table(["A": "a", "C": "$(inherited)"]), .unknown, .table(["B": "b"])])
        #expect(settings.value(of: "A") == "a")
        #expect(settings.value(of: "B") == nil)
        #expect(settings.expand("$(C)") == "$(inherited)")
    }

    @Test func `references that grow without end are cut`() {
        var table = ["L0": "xxxxxxxxxxxxxxxx"]
        for level in 1...40 { table["L\(level)"] = String(repeating: "$(L\(level - 1))", count: 8) }
        #expect(BuildSettings([.table(table)]).expand("$(L40)").utf8.count < 1 << 20)
        #expect(BuildSettings([.table(table)]).expand("$(L2)").utf8.count == 64 * 16)
    }
}
