// SPDX-License-Identifier: MIT

import ArgumentParser
import DocumentFormats
import InAppScenarios
import PayloadKit
import PayloadLinting

/// `payloadgen schema`: prints the JSON Schema of a kind of file.
struct SchemaCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        _superCommandName: Payloadgen.name,
        abstract: "Write the JSON Schema of a file, for editors.",
        discussion: """
            'campaign' is that of NAME.campaign.yml, 'scenario' of NAME.scenario.yml, 'configuration' of .payloadgen.yml, \
            'extras' of payloadgen.extras.yml, and 'app' of the JSON that 'payloadgen app' writes.

            Example: payloadgen schema campaign > campaign.schema.json
            """
    )

    @Argument(help: "The file.")
    var name: FileSchema

    @OptionGroup var color: ColorOption

    static var usesFiles: Bool { false }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        try console.print(data: name.text)
        return .success
    }
}

/// A kind of file for which there is a JSON Schema.
package enum FileSchema: String, CaseIterable, ExpressibleByArgument, Sendable {
    case campaign, extras, app, configuration, scenario

    /// The text of the schema.
    package var text: String {
        switch self {
        case .campaign: Format.campaign().schema(title: "payloadgen campaign")
        case .extras:
            Format.requiredExtras.schema(
                title: "payloadgen extras",
                summary: "The key-value pairs that an extension reads: payloadgen.extras.yml beside its Info.plist."
            )
        case .app: Format.app.schema(title: "payloadgen app")
        case .configuration: Format.configuration.schema(title: "payloadgen configuration")
        case .scenario: Format.scenario.schema(title: "payloadgen scenario")
        }
    }
}
