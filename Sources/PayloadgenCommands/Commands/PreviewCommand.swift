// SPDX-License-Identifier: MIT

import ArgumentParser
import CampaignPreview
import DiagnosticSources
import Foundation
import LiquidTemplates
import POSIXFiles
import PayloadLinting

/// `payloadgen preview`: shows campaigns on a page in the browser.
struct PreviewCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        _superCommandName: Payloadgen.name,
        abstract: "Show campaigns with users on a page, and edit them there.",
        discussion: """
            The page is on 127.0.0.1 and can be opened only with the address that is printed. It follows the files; \
            nothing is sent, or fetched without --allow-images. With --output, pages are written, and nothing is served.

            Example: payloadgen preview templates/lab-progress.campaign.yml --now 2026-11-20T09:00:00Z --output \
            page.html && wc -c page.html
            """
    )

    @Argument(help: "Campaigns, and folders with campaigns.")
    var paths: [String] = ["."]

    @Option(
        help: ArgumentHelp(
            """
            Users as for render --profiles; by default those of the campaign's tests, of examples/profiles, and of \
            profiles in and beside the campaign's folder.
            """,
            valueName: "file"
        )
    )
    var profiles: [String] = []

    @OptionGroup(title: "Context") var context: PreviewContextOptions

    @OptionGroup(title: "Checks") var app: AppOptions

    @Option(help: ArgumentHelp("The port of the page; by default any free one.", valueName: "n"))
    var port: UInt16 = 0

    @Flag(help: "Do not open a browser.")
    var noOpen = false

    @Flag(help: "Show campaigns without editing them.")
    var readOnly = false

    @Option(
        help: ArgumentHelp(
            "Show only these people, by their numbers in the list, names or ids, with commas between them.",
            valueName: "names"
        )
    )
    var people: String?

    @Flag(help: "Show only a few people who together reach every branch that anybody reaches.")
    var onePerBranch = false

    @Flag(help: "Fetch the image of a notification when somebody asks for it on the page, with curl and over HTTPS.")
    var allowImages = false

    @Flag(help: "Replace the values of profiles by samples of the same types.")
    var redact = false

    @Option(
        help: ArgumentHelp(
            "Write one self-contained page to a file, or one for each campaign and index.html into a folder, and end.",
            valueName: "path"))
    var output: String?

    @OptionGroup var rules: RuleOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup var color: ColorOption

    func validate() throws {
        try Inputs.refuseEmpty(paths.map { ("argument", $0) })
        if profiles.contains("-") {
            throw ValidationError("found --profiles -, expected files, as the page reads them again")
        }
        if output != nil, port != 0 { throw ValidationError("found --port with --output, which serves nothing") }
        if output != nil, allowImages {
            throw ValidationError("found --allow-images with --output, which fetches nothing")
        }
        if onePerBranch, people != nil {
            throw ValidationError("found --one-per-branch with --people, which both choose the people that are shown")
        }
        if let people, people.allSatisfy({ $0 == "," || $0.isWhitespace }) {
            throw ValidationError("found nobody in --people '\(people)', expected names, ids, files or numbers")
        }
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let loader = PreviewLoader(
            paths: paths,
            profiles: profiles,
            triggerProperties: context.triggerProperties,
            eventProperties: context.eventProperties,
            context: context.context,
            app: app,
            now: context.now?.time,
            start: .current,
            seed: context.seed ?? 0,
            rules: try rules.levels(notingOn: console),
            limits: limits.limits(try ProjectConfiguration.find(for: paths.first ?? "."))
        )
        let inputs = try loader.inputs()
        var settings = PreviewSettings(version: Payloadgen.version)
        settings.isReadOnly = readOnly
        settings.redacts = redact
        settings.port = port
        settings.isOnePerBranch = onePerBranch
        settings.fetchesImages = allowImages
        settings.people = people.map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
        let project = PreviewProject(settings, inputs) { () throws(PreviewProblem) in
            do throws(CommandFailure) { return try loader.inputs() } catch { throw PreviewProblem(error) }
        }
        do throws(PreviewProblem) {
            try project.requireNamedPeople()
        } catch {
            throw CommandFailure(.usage, "found --people \(people ?? ""): \(error.message)")
        }
        console.report(inputs.options.rules.apply(to: inputs.findings))
        guard let output else { return try serve(project, on: console) }
        var isFolder: ObjCBool = false
        let isFound = FileManager.default.fileExists(atPath: output, isDirectory: &isFolder)
        if output.hasSuffix("/") || isFound && isFolder.boolValue || inputs.campaigns.count > 1 && output != "-" {
            guard output.hasSuffix("/") || !isFound || isFolder.boolValue, !output.hasSuffix(".html") else {
                let count = inputs.campaigns.count
                throw CommandFailure(
                    .usage, "found \(count) campaigns with --output '\(output)', expected a folder for their pages")
            }
            let files = try pages { () throws(PreviewProblem) in try Gallery(project).files() }
            return try write(files, into: output, project)
        }
        guard inputs.campaigns.count == 1 else {
            throw CommandFailure(
                .usage, "found \(inputs.campaigns.count) campaigns with --output -, expected a folder for their pages")
        }
        let bytes = try pages { () throws(PreviewProblem) in try StaticPage(project).html() }
        return try write([(output, bytes)], project)
    }

    private func pages<Result>(_ make: () throws(PreviewProblem) -> Result) throws(CommandFailure) -> Result {
        do throws(PreviewProblem) { return try make() } catch {
            throw CommandFailure(.unreadableInput, error.message)
        }
    }

    private func write(
        _ files: [(name: String, bytes: [UInt8])],
        into folder: String,
        _ project: PreviewProject
    ) throws(CommandFailure) -> ExitStatus {
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw CommandFailure(.unwritableOutput, "cannot write '\(folder)': the folder cannot be created")
        }
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        return try write(files.map { (prefix + $0.name, $0.bytes) }, project)
    }

    private func write(
        _ files: [(path: String, bytes: [UInt8])],
        _ project: PreviewProject
    ) throws(CommandFailure) -> ExitStatus {
        var outputs = OutputGuard()
        for (path, _) in files { outputs.add(path == "-" ? nil : path, as: "--output") }
        // Which files the pages depend on is known only when they have been made, so outputs are compared with inputs
        // now.
        try outputs.check { project.files.inputs }
        for (path, bytes) in files { try OutputTarget(path).complete(with: ByteBuffer(bytes)) }
        return .success
    }

    /// Serves the page until the process is interrupted; prints the address, and opens it in a browser if standard
    /// output is a terminal and no option prevents that.
    private func serve(_ project: PreviewProject, on console: Console) throws(CommandFailure) -> ExitStatus {
        let server: PreviewServer
        do throws(PreviewProblem) { server = try PreviewServer(project) } catch {
            throw CommandFailure(.unwritableOutput, error.message)
        }
        var line = ByteBuffer()
        line.append(server.address + "\n")
        try console.print(line: line)
        guard !noOpen, StandardStream.output.isTerminal else {
            server.serve()
            return .success
        }
        // From now on, a signal only ends the server, so that the browser's file is removed before the process ends.
        InterruptSignal.listen()
        let file = Browser.open(server.address)
        defer { file?.remove() }
        server.serve(until: { InterruptSignal.wasSent }, onEntry: { file?.remove() })
        return InterruptSignal.wasSent ? .interrupted : .success
    }
}

/// The options for values that the messages of a preview read.
struct PreviewContextOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The values of 'api_trigger_properties': one JSON object; by default those of the campaign's first test.",
            valueName: "file"
        )
    )
    var triggerProperties: String?

    @Option(help: ArgumentHelp("The values of 'event_properties': one JSON object.", valueName: "file"))
    var eventProperties: String?

    @Option(
        help: ArgumentHelp(
            "Values that the profile does not have, such as catalogs: one JSON object.", valueName: "file")
    )
    var context: String?

    @Option(
        help: ArgumentHelp(
            "What 'now' means, in ISO 8601; by default that of the campaign's first test, else the clock.",
            valueName: "time")
    )
    var now: TimeArgument?

    @Option(help: ArgumentHelp("The seed of {% random %}; by default 0.", valueName: "n"))
    var seed: Int?
}

extension PreviewProblem {
    init(_ failure: CommandFailure) {
        switch failure.report {
        case .silent, .closedPipe: self.init("the inputs cannot be read")
        case .message(let message): self.init(message)
        case .findings(let findings):
            let place = findings.first?.place.map { "\($0.file.path):\($0.start.line): " } ?? ""
            self.init(place + (findings.first?.message ?? "the inputs cannot be read"))
        }
    }
}
