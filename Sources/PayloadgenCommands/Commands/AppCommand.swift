// SPDX-License-Identifier: MIT

import AppBundles
import ArgumentParser
import DiagnosticSources
import PayloadKit
import PayloadLinting

/// `payloadgen app`: prints what an app declares, as JSON.
struct AppCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "app",
        _superCommandName: Payloadgen.name,
        abstract: "Write the declarations of an app as JSON, so that campaigns can be checked without its sources.",
        discussion: """
            The JSON names the app's extensions with their categories, interaction and app groups, and the key-value \
            pairs that each reads. These come from a payloadgen.extras.yml beside the extension's Info.plist, in the \
            form of 'requires.extras' in a campaign. 'render --app' and 'lint --app' accept the file.

            --write-extras writes the payloadgen.extras.yml of each extension from its code instead; with --check it writes \
            nothing, and ends with 1 if a file would change. Reads whose keys cannot be determined are reported, and \
            keys of an old file that no known code reads are kept.

            Example: payloadgen app examples/BookDemo > app.json
            """
    )

    @Argument(help: "The folder of the app, or its .xcodeproj.")
    var folder: String

    @Option(help: ArgumentHelp("The name of the app, where there are several.", valueName: "name"))
    var target: String?

    @Flag(help: "Write the payloadgen.extras.yml of each extension from its code.")
    var writeExtras = false

    @Flag(help: "With --write-extras: write nothing, and end with 1 if a file would change.")
    var check = false

    @OptionGroup var color: ColorOption

    private static let gap = ", so the app may have more extensions than the JSON"

    func validate() throws {
        if check, !writeExtras { throw ValidationError("found --check without --write-extras") }
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let named = try orFail(input: NamedApp(folder, target: target))
        let app = named.app
        // If a property list of a target is missing, the JSON would silently lack its declarations, so this is an error.
        let errors = app.unread + [app].conflictsInCode
        guard errors.isEmpty else { throw CommandFailure(InputError(.invalid, errors)) }
        if writeExtras { return try WrittenExtras(app: app, isCheck: check).perform(on: console) }
        try console.print(data: ByteBuffer(app.json(relativeTo: folder)))
        // With gaps, `lint` and `render` check campaigns against the JSON less strictly, so gaps are warnings.
        let gaps = app.gaps.map { Diagnostic(.unreadFile, $0.value + Self.gap, at: $0.place, severity: .warning) }
        console.report(gaps + named.notes)
        return named.notes.contains { $0.severity == .error } ? .findings : .success
    }
}
