// SPDX-License-Identifier: MIT

import AppDeclarations
import PayloadKit
import Testing

/// The types of key-value pairs, and their checks.
@Suite struct ExtrasContractTests {
    @Test(arguments: [
        (ExtraType.integer, "5", true), (.integer, "-5", true), (.integer, "5.0", false),
        (.integer, "9223372036854775808", false),
        (.integer, " 5", false), (.number, "5.25", true), (.number, "-1e3", true), (.number, "nan", false),
        (.number, "0x1", false), (.number, "1,5", false), (.boolean, "true", true), (.boolean, "True", false),
        (.url, "https://x.io", true), (.url, "bookdemo:lab", true), (.url, "x.io/path", false), (.url, "a b:c", false),
        (.url, "https:", false), (.date, "2026-11-20", true), (.date, "2026-11-20T09:00:00Z", true),
        (.date, "soon", false),
        (.date, "2026-02-30", false), (.string, "anything", true),
    ])
    func `types take what the extension can read`(type: ExtraType, text: String, expected: Bool) {
        #expect(type.accepts(text) == expected)
    }

    @Test(arguments: [
        ("Int", "9223372036854775807", "9223372036854775808"), ("Int8", "-128", "128"), ("Int16", "32767", "32768"),
        ("Int32", "2147483647", "2147483648"), ("Int64", "-9223372036854775808", "1e3"), ("UInt", "0", "-1"),
        ("UInt8", "255", "256"), ("UInt16", "65535", "65536"), ("UInt32", "4294967295", "4294967296"),
        ("UInt64", "18446744073709551615", "18446744073709551616"), ("Double", "1e3", "1,5"), ("Float", ".5", "five"),
        ("TimeInterval", "60", "1:00"), ("Bool", "true", "1"), ("URL", "a", ""),
        ("UUID", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810"),
    ])
    func `a value crashes the app that the type in its code cannot hold`(type: String, held: String, other: String) {
        #expect(Conversion.knownInitializers.contains(type))
        #expect(!Conversion.initializer(type).fails(for: held))
        #expect(Conversion.initializer(type).fails(for: other))
    }

    @Test func `every render enforces it`() throws {
        let campaign = """
            push: {title: t, extras: {n: '{{ n }}', s: '{{ s }}', j: '$json:1'}}
            requires:
              extras:
                n: {type: integer, required: true}
                s: {type: date}
                j: {type: json, required: true}
            """
        func profile(_ vars: String) -> String { #"{"user": {}, "vars": \#(vars)}"# }
        #expect(try Messages.payload(campaign, profile: profile(#"{"n": 1}"#)).extras.count == 3)
        let blank = try Messages.failure(campaign, profile: profile("{}"))
        #expect(blank.rule?.name == "extras-contract")
        #expect(blank.message == "'n' is blank, expected an integer")
        #expect(blank.related.first?.message == "required here")
        let both = try Messages.failure(campaign, profile: profile(#"{"n": "x", "s": "soon"}"#))
        #expect(
            both.diagnostics.map(\.message) == [
                "extras.n: 'n' is 'x', expected an integer", "extras.s: 's' is 'soon', expected a date in ISO 8601",
            ]
        )
    }

    @Test(arguments: [
        #"$json:null"#, #"$json: "" "#, #"$json:" \n""#, "$json:\"{{ nothing }}\"",
    ])
    func `JSON without a value is blank`(value: String) throws {
        let quoted = "'" + value.replacing("'", with: "''") + "'"
        let payload = try Messages.payload("push: {title: t, extras: {a: \(quoted), b: '$json:{}', c: '$json:\"c\"'}}")
        #expect(payload.blank == ["extras.a"])
        let required = "requires: {extras: {a: {type: json, required: true}, b: {type: json, required: true}}}"
        let error = try Messages.failure("push: {title: t, extras: {a: \(quoted), b: '$json:{}'}}\n\(required)")
        #expect(error.diagnostics.map(\.message) == ["extras.a: 'a' is blank, expected JSON"])
    }

    @Test(arguments: [
        ("extras: {a: x}", "a: {type: json}", "'a' is sent as text, expected JSON with '$json:'"),
        ("extras: {a: '$json:1'}", "a: {type: integer}", "'a' is sent as JSON, expected the text of an integer"),
        ("extras: {b: x}", "a: {type: string, required: true}", "'a' is not sent, expected text"),
        (
            "extras: {titel: x, title_2: y}", "title: {required: true}, title_2: {}",
            "'title' is not sent, expected text; is it sent as 'titel' by mistake?"
        ),
        ("extras: {title_2: y}", "title: {required: true}, title_2: {}", "'title' is not sent, expected text"),
    ])
    func `a pair of another form is told`(extras: String, requirement: String, message: String) throws {
        let error = try Messages.failure("push:\n  title: t\n  \(extras)\nrequires:\n  extras: {\(requirement)}\n")
        #expect(error.message == message)
    }

    @Test func `rendered keys obey the rules of written ones`() throws {
        let profile = #"{"user": {}, "vars": {"k": "aps", "b": "b"}}"#
        #expect(
            try Messages.failure("push: {title: t, extras: {'{{ k }}': x}}", profile: profile).rule?.name
                == "extras-reserved-key"
        )
        let twice = try Messages.failure("push: {title: t, extras: {b: x, '{{ b }}': y}}", profile: profile)
        #expect(twice.message == "two key-value pairs have the key 'b'")
        let turned = try Messages.failure("push: {title: t, extras: {'{{ b }}': y, b: x}}", profile: profile)
        #expect(turned.message == twice.message)
    }
}
