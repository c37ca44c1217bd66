// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PayloadgenTestSupport
import PlistDocuments
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

    @Test func `a setting that is made of others a dozen times over is known`() {
        let chain = Dictionary(uniqueKeysWithValues: (0..<12).map { ("LEVEL_\($0)", "$(LEVEL_\($0 + 1))") })
        let settings = BuildSettings([.table(chain.merging(["LEVEL_12": "lab"]) { $1 })])
        #expect(settings.expand("$(LEVEL_0)") == "lab")
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

    private static let conditional = """
        A = device
        A[sdk=macosx*] = mac
        A[sdk=iphonesimulator*] = simulator
        B = all
        B[sdk=iphoneos*][config=Release] = released
        C = 32
        C[arch=arm64] = 64
        D[arch=x86_64] = intel
        D = any
        E[sdk=iphone*] = old
        E = new
        F = same
        F[sdk=iphoneos17*] = same
        G[sdk=iphoneos17.0] = seventeen
        H = a;
        H = $(inherited) b \\
            c // comment
        I[sdk=*simulator*] = simulator
        """

    @Test(arguments: [
        ("A", "device"), ("B", "released"), ("C", nil), ("D", "any"), ("E", "new"), ("F", "same"), ("G", nil),
        ("H", "a b c"), ("I", nil),
    ])
    func `of the assignments in a file the last one counts that holds for devices`(name: String, value: String?) throws
    {
        let found = try settings(["/p/Config/a.xcconfig": Self.conditional])
        #expect(found.value(of: name) == value)
    }

    @Test func `what cannot be decided is not replaced by nothing`() throws {
        let several = "\nK = k\nK[sdk=iphoneos*,arch=arm64] = l\n"
        let found = try settings(["/p/Config/a.xcconfig": Self.conditional + several])
        #expect(found.value(of: "K") == nil)
        #expect(found.expand("$(C) $(G) $(I) $(NONE)") == "$(C) $(G)  ")
    }

    @Test func `lines that Xcode cannot read are reported, and others are not`() throws {
        let text = """
            // comment
            A = a // comment
            B[sdk=iphoneos*][arch=arm64] = b;
            C =
            <<<<<<< HEAD
            D = \\
              d
            =======
            D = e
            >>>>>>> main
            this is no setting
            #include 'Other.xcconfig'
            #inclde "Other.xcconfig"
            # comment
            """
        let target = XcodeProjectText.Target("A", ["INFOPLIST_FILE": "Info.plist"])
        let project = XcodeProjectText([target], configurationFile: "App.xcconfig").text
        let document = PlistDocument(SourceFile(path: "project.pbxproj", text: project))
        let found = try #require(
            XcodeProject(document, folder: "/p") { path in
                path == "/p/Config/App.xcconfig" ? SourceFile(path: path, text: text) : nil
            }
        ).diagnostics.map { "\($0.place?.start.line ?? 0) \($0.severity.rawValue) \($0.message)" }
        #expect(
            found == [
                "5 error the file has a merge conflict here, so the build settings are not known for certain",
                "11 warning Xcode cannot read this line, expected NAME = VALUE",
                "12 warning Xcode cannot read this line, expected #include \"FILE\"",
                "13 warning Xcode cannot read this line, expected #include \"FILE\"",
                "14 warning Xcode cannot read this line; a comment begins with //",
            ])
    }

    @Test func `conditions are for the devices of a target's own system`() throws {
        let text = "SDKROOT = watchos\n" + Self.conditional + "\nA[sdk=watchos*] = watch\n"
        #expect(try settings(["/p/Config/a.xcconfig": text]).value(of: "A") == "watch")
    }

    @Test func `only what a missing file may replace is unknown`() throws {
        let found = try settings([
            "/p/Config/a.xcconfig": "A = a\n#include \"none.xcconfig\"\nB = b\n#include? \"own.xcconfig\"\nC = c$(A)\n"
        ])
        #expect(found.value(of: "A") == nil)
        #expect(found.value(of: "B") == "b")
        #expect(found.value(of: "C") == "c$(A)")
        #expect(found.expand("$(NONE)") == "$(NONE)")
    }

    @Test func `what Flutter writes to a file that is missing here is not taken for nothing`() throws {
        let included = try settings(["/p/Config/a.xcconfig": "#include? \"Generated.xcconfig\"\n"])
        #expect(included.expand("$(FLUTTER_BUILD_NAME)") == "$(FLUTTER_BUILD_NAME)")
        #expect(try settings(["/p/Config/a.xcconfig": "A = a\n"]).expand("$(FLUTTER_BUILD_NAME)").isEmpty)
    }

    @Test func `files are included without an extension, and from the folders of those that include them`() throws {
        let found = try settings([
            "/p/Config/a.xcconfig": "  #include \"shared/b\"\n#include \"Ids/d\"\nA = $(inherited)a\n",
            "/p/Ids/d.xcconfig": "D = d\n",
            "/p/Config/shared/b.xcconfig": "#include \"c.xcconfig\"\n", "/p/Config/c.xcconfig": "A = c\n",
        ])
        #expect(found.value(of: "A") == "ca")
        #expect(found.value(of: "D") == "d")
    }

    /// The settings of a target in the configuration `Release`.
    private func settings(_ files: [String: String]) throws -> BuildSettings {
        let text = XcodeProjectText([XcodeProjectText.Target("One", [:])], configurationFile: "a.xcconfig").text
        let document = PlistDocument(SourceFile(path: "A.xcodeproj/project.pbxproj", text: text))
        let project = try #require(
            XcodeProject(document, folder: "/p") { path in files[path].map { SourceFile(path: path, text: $0) } }
        )
        return try #require(project.targets.first?.settings(in: "Release"))
    }

    @Test func `references that grow without end are cut`() {
        var table = ["L0": "xxxxxxxxxxxxxxxx"]
        for level in 1...40 { table["L\(level)"] = String(repeating: "$(L\(level - 1))", count: 8) }
        #expect(BuildSettings([.table(table)]).expand("$(L40)").utf8.count < 1 << 20)
        #expect(BuildSettings([.table(table)]).expand("$(L2)").utf8.count == 64 * 16)
    }
}
