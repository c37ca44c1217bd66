// SPDX-License-Identifier: MIT

import DocumentFormats
import LiquidTemplates
import PayloadKit
import PayloadLinting

/// The page about `.payloadgen.yml`, made from the format of that file.
enum ConfigurationPage {
    /// The configuration that the page shows as an example; its paths exist in this repository.
    static let example = """
        version: 1
        apps: {BookDemo: examples/BookDemo}
        campaigns: [templates]
        exclude: [Vendor, "**/Generated"]
        rules: {missing-default: error}
        overrides:
          - {paths: [templates/drafts], rules: {missing-default: off}}
        external_categories: [news_digest]
        attributes: {first_name: {always: true}}
        budget: 3600
        """

    /// The page as Markdown.
    static var text: String {
        var rows: [String] = []
        write(Format.configuration, under: "", into: &rows)
        let limits = Limit.allCases.map { limit in
            "| `limits.\(limit.rawValue)` | `\(limit.option)` | \(Limits()[limit]) | \(limit.summary) |"
        }
        return """
            # Configuration

            `.payloadgen.yml` is at the root of a project. Every command reads the nearest one, in the folder of its files or above.
            This one names an app, a folder of campaigns, and severities of rules:

            ```text
            \(example)
            ```

            Paths are relative to the file, and patterns work as in `.gitignore`. An option of a command overrides the file.
            If the file cannot be read, or has an unknown key, every command that uses it ends with 78.
            For completion in an editor, `payloadgen schema configuration` writes the JSON Schema of the file.

            ## Keys

            | key | value | meaning |
            |---|---|---|
            \(rows.joined(separator: "\n"))

            ## Severities of rules

            | where | what it is for |
            |---|---|
            | `rule_set: strict` | all rules, also those about code that works but is often a mistake |
            | `rules: {RULE: warning}` | one rule, in the whole project |
            | `overrides` | rules in some files; if several entries fit a file, the last one counts |
            | `--rule RULE=warning` | one rule, in one run; it overrides the file |
            | a comment | one place or one file; [each rule](rules/README.md) shows how |

            Every report says how many rules are off and how many files are excluded.
            An error about a file that is not read is reported even if its rule is off.
            The file may name rules that were removed in a later version; a note says so.

            ## Limits of rendering

            | key | option | default | meaning |
            |---|---|---|---|
            \(limits.joined(separator: "\n"))

            """
    }

    private static func write(_ format: Format, under path: String, into rows: inout [String]) {
        for key in format.keys where !(path.isEmpty && key.name == "limits") {
            write(key.kind, at: path + key.name, key.summary, into: &rows)
        }
    }

    private static func write(_ kind: Format.Kind, at path: String, _ summary: String, into rows: inout [String]) {
        func row(_ path: String, _ value: String, _ summary: String) {
            rows.append("| `\(path)` | \(value) | \(summary) |")
        }
        switch kind {
        // The many names of rules are left out, because they have pages of their own.
        case .object(let format) where format.keys.count > 50:
            row(path + ".RULE", words(format.keys[0].kind), summary)
        case .object(let format):
            row(path, "a mapping", summary.isEmpty ? format.summary : summary)
            write(format, under: path + ".", into: &rows)
        case .mapping(let value, _):
            row(path, "a mapping of names", summary)
            if case .either(let kinds) = value {
                for case .object(let format) in kinds { write(format, under: path + ".NAME.", into: &rows) }
            } else {
                write(value, at: path + ".NAME", "", into: &rows)
            }
        case .list(.object(let format)):
            row(path, "a list", summary)
            write(format, under: path + "[].", into: &rows)
        default: row(path, words(kind), summary)
        }
    }

    /// The kind of a value, in words.
    private static func words(_ kind: Format.Kind) -> String {
        switch kind {
        case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .boolean: "`true` or `false`"
        case .integer(let range): range.map { "a number of \($0.lowerBound) or more" } ?? "a number"
        case .version(let version, _): "`\(version)`"
        case .list: "a list"
        default: "text"
        }
    }
}
