// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import JSONTexts
import PayloadLinting

/// `payloadgen rules`: lists the rules.
struct Rules: Command {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        _superCommandName: Payloadgen.name,
        abstract: "List the rules.",
        discussion: """
            'payloadgen explain RULE' explains a rule, with examples.

            Example: payloadgen rules --format json
            """
    )

    @Option(help: "A table, or JSON with the reasons and examples.")
    var format = ListFormat.text

    @OptionGroup var color: ColorOption

    static var usesFiles: Bool { false }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        switch format {
        case .text:
            var table = TextTable()
            table.add("RULE", "SEVERITY", "SET", "FIX", "FINDS", "SOURCE")
            for rule in Rule.ofCommands {
                let (id, fix) = (rule.id, rule.fix == nil ? "-" : "yes")
                table.add(id.name, id.severity.rawValue, id.set.rawValue, fix, id.summary, rule.source.text)
            }
            try console.print(table.text)
        case .json:
            var json = JSONWriter(pretty: true)
            json.objects(nil, Rule.ofCommands) { $1.write(to: &$0) }
            json.buffer.append("\n")
            try console.print(data: json.buffer)
        }
        return .success
    }
}

extension Rule {
    /// Writes the members of the JSON object that describes the rule.
    func write(to json: inout JSONWriter) {
        json.member("id", id.name)
        json.member("name", name)
        json.member("severity", id.severity.rawValue)
        json.member("set", id.set.rawValue)
        json.member("source", source.text)
        json.member("page", page)
        json.member("topic", topic)
        json.member("summary", id.summary)
        json.member("rationale", rationale)
        json.member("fix", optional: fix)
        for (key, examples) in [("failing", failing), ("passing", passing)] {
            json.objects(key, examples) { json, example in
                json.objects("files", example.files) { json, file in
                    json.member("path", file.path)
                    json.member("text", file.text)
                }
                if let fixed = example.fixed { json.member("fixed", fixed) }
            }
        }
    }
}
