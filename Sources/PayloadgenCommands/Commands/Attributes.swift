// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import JSONTexts
import PayloadKit

/// `payloadgen attributes`.
struct Attributes: Command {
    static let configuration = CommandConfiguration(
        commandName: "attributes",
        _superCommandName: Payloadgen.name,
        abstract: "List the attributes that Liquid can read.",
        discussion: """
            Each is listed with its field in Braze's export, its type and an example.

            Example: payloadgen attributes --format json
            """
    )

    @Option(help: "A table, or JSON.")
    var format = ListFormat.text

    @OptionGroup var color: ColorOption

    static var usesFiles: Bool { false }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        switch format {
        case .text: try console.print(table)
        case .json: try console.print(data: json)
        }
        return .success
    }

    private var table: ShownText {
        var table = TextTable()
        table.add("ATTRIBUTE", "EXPORT FIELD", "TYPE", "SAMPLE")
        for attribute in AttributeTable.all {
            table.add(attribute.liquid, attribute.exportField ?? "-", attribute.type.rawValue, attribute.sample)
        }
        return table.text
    }

    private var json: String {
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for attribute in AttributeTable.all {
            json.beginObject()
            json.member("liquid", attribute.liquid)
            json.member("namespace", optional: attribute.namespace)
            json.member("name", optional: attribute.name)
            json.member("export_field", optional: attribute.exportField)
            json.member("type", attribute.type.rawValue)
            json.member("sample", attribute.sample)
            json.endObject()
        }
        json.endArray()
        json.buffer.append("\n")
        return json.buffer.string()
    }
}

/// The format of a list.
enum ListFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

extension JSONWriter {
    /// Writes a key with a string, or with null.
    mutating func member(_ key: String, optional string: String?) {
        self.key(key)
        if let string { self.string(string) } else { null() }
    }
}
