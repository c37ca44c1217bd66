// SPDX-License-Identifier: MIT

import AppDeclarations
import ArgumentParser
import DiagnosticSources
import POSIXFiles
import PayloadKit

/// `payloadgen generate`: the commands that write code.
struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        _superCommandName: Payloadgen.name,
        abstract: "Generate code for an app from the key-value pairs that campaigns send.",
        discussion: """
            'payloadgen help generate swift' describes the options.

            Example: payloadgen generate swift templates/lab-progress.campaign.yml --type LabProgressPush
            """,
        subcommands: [GenerateSwift.self]
    )
}

/// `payloadgen generate swift`: writes Swift code that reads the key-value pairs of an extension.
struct GenerateSwift: Command {
    static let configuration = CommandConfiguration(
        commandName: "swift",
        abstract: "Write a Swift type that reads the key-value pairs of a push.",
        discussion: """
            The type has a property for each key-value pair that a campaign lists under 'requires.extras', or that a \
            payloadgen.extras.yml lists. Its init(userInfo:) throws an error with the key of a key-value pair that is \
            missing or has the wrong type. The file uses only Foundation, and compiles with Swift 5.9 and later. With \
            --check it is not written, and the command ends with 1 if it would change.

            Example: payloadgen generate swift examples/BookDemo/LabProgress/payloadgen.extras.yml
            """
    )

    @Argument(help: "A campaign, or a payloadgen.extras.yml.")
    var source: String

    @Option(help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Compare with the file of --output instead of writing it.")
    var check = false

    @Option(help: "The access level of the type.")
    var access = GeneratedSwift.Access.internal

    @Option(help: ArgumentHelp("The name of the type; by default that of the file or folder.", valueName: "name"))
    var type: String?

    @OptionGroup var color: ColorOption

    func validate() throws {
        if check, output == nil || output == "-" {
            throw ValidationError("found --check without --output, expected the file to compare")
        }
        if let type, !GeneratedSwift.isTypeName(type) {
            throw ValidationError("found '\(type)' as --type, expected the name of a type")
        }
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let files = ReadFiles(keepsContents: false)
        let bytes = Array(try generated(noting: files).text.utf8)
        guard let output, output != "-" else {
            try write(bytes, to: OutputTarget(nil))
            return .success
        }
        var outputGuard = OutputGuard()
        outputGuard.add(output, as: "--output")
        try outputGuard.check { [source].inputs + files.files.map { ($0.path, $0.identity) } }
        let isOrdinary = OutputTarget.isOrdinary(output)
        let isUpToDate =
            isOrdinary && FolderWalk.item(at: output) != nil ? try Inputs.file(output).bytes == bytes : false
        if check {
            if !isUpToDate {
                console.log("'\(output)' is out of date: run 'payloadgen generate swift' without --check")
            }
            return isUpToDate ? .success : .findings
        }
        // A file whose contents stay the same is not written: a new modification time would make Xcode build again.
        if !isUpToDate { try write(bytes, to: OutputTarget(output)) }
        return .success
    }

    private func write(_ bytes: [UInt8], to target: OutputTarget) throws(CommandFailure) {
        do throws(CommandFailure) { try target.complete(with: ByteBuffer(bytes)) } catch {
            target.discard()
            throw error
        }
    }

    private func generated(noting files: ReadFiles) throws(CommandFailure) -> GeneratedSwift {
        let name = source.fileName
        let (stem, extras, summary) =
            name.holds(".campaign.") ? try pairs(ofCampaign: name, noting: files) : try pairs(inExtras: name)
        return GeneratedSwift(
            extras,
            typeName: type ?? GeneratedSwift.typeName(for: stem),
            access: access,
            source: name,
            summary: summary
        )
    }

    private func pairs(
        ofCampaign name: String,
        noting files: ReadFiles
    ) throws(CommandFailure) -> (String, [RequiredExtra], String) {
        let file = try Inputs.file(source)
        let campaign = try orFail(
            input: Campaign(file: file, folder: NotingFolder(folder: DiskFolder(around: source), files: files)))
        guard let extras = campaign.requirements?.extras, !extras.isEmpty else {
            throw CommandFailure(
                .unreadableInput, "'\(source)' requires no key-value pairs: list them under 'requires.extras'")
        }
        let stem = name.prefix { $0 != "." }
        return (String(stem), extras, "The key-value pairs of the push '\(campaign.identity.name ?? String(stem))'.")
    }

    private func pairs(inExtras name: String) throws(CommandFailure) -> (String, [RequiredExtra], String) {
        guard name.hasSuffix(".yml") || name.hasSuffix(".yaml"), name.holds("extras.") else {
            throw CommandFailure(.usage, "found '\(source)', expected NAME.campaign.yml or \(App.extrasFileName)")
        }
        let (extras, findings) = App.extras(in: try Inputs.file(source))
        guard findings.isEmpty else { throw CommandFailure(.unreadableInput, .findings(findings)) }
        guard !extras.isEmpty else { throw CommandFailure(.unreadableInput, "'\(source)' lists no key-value pairs") }
        let stem = source.absolutePath.standardizedPath.folder.fileName
        return (stem, extras, "The key-value pairs that '\(stem)' reads from a push.")
    }
}

extension GeneratedSwift.Access: ExpressibleByArgument {}
