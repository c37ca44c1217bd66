// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import JSONTexts
import PayloadKit
import PayloadLinting

/// `payloadgen attributes`: lists the attributes that Liquid can read.
struct Attributes: Command {
    static let configuration = CommandConfiguration(
        commandName: "attributes",
        _superCommandName: Payloadgen.name,
        abstract: "List the attributes that Liquid can read.",
        discussion: """
            Each is listed with its field in Braze's export, its type and an example. The custom attributes of a workspace that \
            'payloadgen pull' or braze-sync has written are listed, too, with their descriptions.

            Example: payloadgen attributes --format json
            """
    )

    @Option(help: "A table, or JSON.")
    var format = ListFormat.text

    @OptionGroup var color: ColorOption

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let registry = try ProjectConfiguration.find(for: ".")?.workspace?.registry
        let custom = (registry?.attributes?.values).map { $0.sorted { $0.name < $1.name } } ?? []
        switch format {
        case .text: try console.print(table(custom))
        case .json: try console.print(data: json(custom))
        }
        return .success
    }

    private func table(_ custom: [WorkspaceRegistry.Attribute]) -> ShownText {
        var table = TextTable()
        table.add("ATTRIBUTE", "EXPORT FIELD", "TYPE", "SAMPLE")
        for attribute in AttributeTable.all {
            table.add(attribute.liquid, attribute.exportField ?? "-", attribute.type.rawValue, attribute.sample)
        }
        for attribute in custom {
            let state = attribute.isBlocklisted ? "blocklisted" : attribute.description ?? ""
            table.add("custom_attribute.${\(attribute.name)}", "custom_attributes", attribute.type ?? "any", state)
        }
        return table.text
    }

    private func json(_ custom: [WorkspaceRegistry.Attribute]) -> String {
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
        for attribute in custom {
            json.beginObject()
            json.member("liquid", "custom_attribute.${\(attribute.name)}")
            json.member("namespace", "custom_attribute")
            json.member("name", attribute.name)
            json.member("export_field", "custom_attributes")
            json.member("type", attribute.type ?? "any")
            json.member("description", optional: attribute.description)
            json.member("blocklisted", attribute.isBlocklisted)
            json.endObject()
        }
        json.endArray()
        json.buffer.append("\n")
        return json.buffer.string()
    }
}

/// The format in which a command lists something.
enum ListFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}
