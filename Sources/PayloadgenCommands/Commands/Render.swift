// SPDX-License-Identifier: MIT

import AppDeclarations
import ArgumentParser
import DiagnosticSources
import LiquidTemplates
import POSIXFiles
import PayloadKit
import PayloadLinting

/// `payloadgen render`: renders a campaign for one or many users.
struct Render: Command {
    static let configuration = CommandConfiguration(
        commandName: "render",
        _superCommandName: Payloadgen.name,
        abstract: "Render a campaign for one user, or for many.",
        discussion: """
            With --profile, the payload is written to standard output, or nothing where the message does not render \
            or does not pass its checks; without a user, that of the campaign's first test is taken. With --profiles, every \
            line of input results in one record on a line of its own, in the order of the input.

            Example: payloadgen render templates/match-game.campaign.yml --profile examples/profiles/ana.json \
            --app examples/BookDemo
            """
    )

    @Argument(help: "The campaign: YAML, or JSON where the name ends in .json.")
    var campaign: String

    @OptionGroup(title: "Users") var users: UserOptions
    @OptionGroup(title: "Output") var output: RenderOutputOptions
    @OptionGroup(title: "Checks") var checks: RenderCheckOptions
    @OptionGroup(title: "Context") var context: ContextOptions
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "Coverage") var coverage: CoverageOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup var color: ColorOption

    func validate() throws {
        let userInputs = [("--profile", users.profile)] + users.profiles.map { ("--profiles", $0) }
        try Inputs.requireOneStandardInput(
            [("the campaign", campaign)] + userInputs + users.merge.map { ("--merge", $0) } + context.inputs)
        if !users.merge.isEmpty {
            try output.validateMerging()
            return try batch.validateMerging()
        }
        if batch.inputPart != nil, users.profiles != ["-"] {
            let option = batch.assumeFilename == nil ? "--first-line" : "--assume-filename"
            throw ValidationError("found \(option), expected --profiles - and no other profiles")
        }
        guard !users.profiles.isEmpty else {
            try output.validateOne()
            if coverage.isOn { throw ValidationError("found \(coverage.usedOption) without --profiles") }
            return try batch.validateUnused()
        }
        if batch.resume, coverage.isOn {
            throw ValidationError(
                "found \(coverage.usedOption) with --resume, which renders only a part of the profiles")
        }
        if batch.resume, output.file == nil || users.profiles.contains("-") {
            throw ValidationError("found --resume, expected --output FILE and profiles from files")
        }
        try output.validateBatch()
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let configuration = try ProjectConfiguration.find(for: campaign)
        let files = RenderFiles()
        let folder = DiskFolder(around: self.campaign, configuration)
        let unbound = try readCampaign(in: folder, noting: files.campaign)
        let selection = try checks.app.match(unbound, at: self.campaign, in: configuration)
        let match = selection.match
        let campaign = unbound.requiring(match.apps, besides: configuration?.externalCategories ?? [])
        var (options, given) = try context.renderOptions(noting: files.options)
        options.apply(configuration)
        limits.apply(to: &options, configuration)
        if let budget = checks.budget { options.budget = budget }
        options.missingPolicy = checks.missing == .error ? .failing : .collecting
        options.rules = try checks.rules.levels(configuration, notingOn: console)
        let unread = try orFail(input: match.requireReadApps(options.rules))
        if output.trace {
            options.connectedContentTrace = .recorded
        } else if users.profiles.isEmpty || batch.report != nil || batch.counts != nil {
            options.connectedContentTrace = .collected
        }
        var profile = try Inputs.optional(users.profile, noting: files.options, as: "--profile")
        if users.isEmpty, context.context == nil {
            profile = try useFirstTest(of: campaign, &options, &given, in: folder, noting: files, on: console)
        }
        let linted = LintedCampaign(
            campaign,
            folder: folder,
            match: match,
            options: options,
            profile: profile,
            context: given.context,
            dataNames: Set(options.context.variableNames)
        )
        options.isSuppressed = CampaignCheck.suppression(in: linted)
        let findings =
            CampaignCheck(linted, options.rules).findings(in: [.campaign, .message])
            + options.rules.apply(to: match.note(on: campaign))
            + given.findings(linted, profile: profile, options.rules)
        let inputs = RenderInputs(
            campaign: campaign,
            profile: profile,
            triggerProperties: given.trigger,
            match: match,
            configuration: configuration,
            files: files,
            findings: findings,
            unread: unread,
            profileFindings: ProfileFindings(linted, options.rules),
            folder: folder,
            appCheck: selection.check
        )
        if !users.merge.isEmpty { return try mergeParts(inputs, options, on: console) }
        if !users.profiles.isEmpty { return try renderBatch(inputs, options, on: console) }
        return try renderOne(inputs, options, on: console)
    }

    /// Takes the user, the properties and the time from the campaign's first test.
    ///
    /// - Returns: the profile; nil for a user about whom nothing is known.
    /// - Throws: an error if there is no test, or one of its files cannot be read.
    private func useFirstTest(
        of campaign: Campaign,
        _ options: inout RenderOptions,
        _ given: inout ContextOptions.GivenFiles,
        in folder: DiskFolder,
        noting files: RenderFiles,
        on console: Console
    ) throws(CommandFailure) -> SourceFile? {
        guard let test = campaign.tests.first else {
            throw CommandFailure(
                .usage,
                "expected --profile FILE for one user, or --profiles FILE for many: the campaign has no test with a user"
            )
        }
        console.log("note: the user is that of the test '\(test.name)'; --profile FILE names another")
        func read(_ input: CampaignTest.Input?, _ name: String) throws(CommandFailure) -> SourceFile? {
            guard let file = try orFail(input: input?.read(in: folder)) else { return nil }
            if let path = input?.path?.value { files.options.add(file, at: folder.path(to: path), as: name) }
            return file
        }
        if let file = try read(test.context, "the context of the test") {
            options.context = try ContextOptions.context(in: file)
            given.use(context: file, options.context)
        }
        let profile = try read(test.profile, "the profile of the test")
        if context.triggerProperties == nil { given.use(trigger: test.triggerProperties ?? .empty) }
        if context.eventProperties == nil, let event = test.eventProperties { options.eventProperties = event }
        if context.seed == nil, let seed = test.seed { options.seed = seed }
        if context.now == nil, let now = test.now ?? options.context.now {
            options.now = now
            options.overridesNow = test.now != nil
        }
        return profile
    }

    private func readCampaign(
        in folder: DiskFolder,
        noting files: ReadFiles
    ) throws(CommandFailure) -> Campaign {
        let file = try Inputs.file(campaign)
        files.add(file, at: campaign, as: "campaign")
        return try orFail(input: Campaign(file: file, folder: NotingFolder(folder: folder, files: files)))
    }

    /// The outputs of the command, each with its own file or stream.
    ///
    /// - Throws: ``ExitStatus/usage`` if two outputs go to the same file or stream.
    func outputs() throws(CommandFailure) -> OutputGuard {
        var outputs = OutputGuard()
        if let path = output.file {
            outputs.add(path, as: "--output", suffixes: users.profiles.isEmpty ? [] : [".partial", ".partial.json"])
        } else if users.merge.isEmpty {
            outputs.addStandardOutput(for: users.profiles.isEmpty ? "the message" : "the records")
        }
        if let summary = batch.summary {
            if let path = summary.path {
                outputs.add(path, as: summary.option)
            } else {
                outputs.addStandardError(for: summary.option)
            }
        }
        if let shown = coverage.shown {
            if showsOnOutput(shown) {
                outputs.addStandardOutput(for: shown.option)
            } else if batch.summary.map({ $0.format == .json && $0.path == nil }) ?? false || shown.isForPrograms {
                // On standard error, a text report may follow a text summary: both are for people.
                outputs.addStandardError(for: shown.option)
            }
        }
        outputs.add(batch.report, as: "--report")
        outputs.add(batch.counts, as: "--counts")
        outputs.add(batch.onePerBranch, as: "--one-per-branch")
        coverage.add(to: &outputs)
        try outputs.checkEachOther()
        return outputs
    }

    /// Whether a report on branches is shown on standard output: true if the option asks for it, or if the records are
    /// written elsewhere.
    func showsOnOutput(_ report: CoverageTarget) -> Bool { report.isForOutput || output.file != nil }

    /// Throws an error for outputs that are also inputs, or that are in a folder of profiles.
    ///
    /// - Parameters:
    ///   - inputs: all inputs except profiles.
    ///   - sources: the profiles of a batch.
    ///   - folders: the folders whose files are all profiles.
    /// - Throws: ``ExitStatus/usage`` about the first such output.
    func checkOutputs(
        _ inputs: RenderInputs,
        _ sources: [ProfileSource] = [],
        folders: [String] = []
    ) throws(CommandFailure) {
        let outputs = try outputs()
        try outputs.checkFolders(folders)
        try outputs.check {
            var paths = Array(inputs.appCheck?.project.readPaths ?? [])
            paths += [checks.app.app].compactMap(\.self) + checks.app.plist + inputs.apps.flatMap(\.files).map(\.path)
            if let folder = inputs.configuration?.folder { paths.append(folder + "/" + ProjectConfiguration.fileName) }
            paths += users.merge
            return sources.map { ($0.path, $0.identity) } + inputs.files.all.map { ($0.path, $0.identity) }
                + paths.inputs
        }
    }
}

/// Everything that `render` reads, except the profiles of a batch.
struct RenderInputs {
    let campaign: Campaign

    /// The file of `--profile`, or of the first test's profile; nil if there is neither.
    let profile: SourceFile?

    /// The properties of the API trigger.
    let triggerProperties: LiquidObject

    /// The apps against which payloads are checked.
    let match: AppMatch

    let configuration: ProjectConfiguration?
    let files: RenderFiles

    /// The findings of `lint` about the campaign, its content blocks and its fixtures, and about profiles that are not
    /// read.
    var findings: [Diagnostic]

    /// The findings, other than errors, about parts of the apps that are not read.
    let unread: [Diagnostic]

    /// Finds faults in profiles, such as fields that are not read.
    let profileFindings: ProfileFindings

    /// The folder with the files to which the campaign can refer.
    let folder: DiskFolder

    /// The project that contains the apps, with the findings in its files; nil if there is none.
    let appCheck: AppCheck?

    var apps: [App] { match.apps }
}

/// The options that say for which users a campaign is rendered.
struct UserOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The user, as Braze exports one, or in the short form.", valueName: "file"))
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "Many users, one on each line: a file, also .gz, .zip or .zst, a folder of them, a quoted glob, or - for standard input.",
            valueName: "file"
        )
    )
    var profiles: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file of counts that --counts wrote, with one part of a batch on each line, in the order of the users: report on all parts, and render nothing. Repeatable.",
            valueName: "file"
        )
    )
    var merge: [String] = []

    /// Whether none of the options is given.
    var isEmpty: Bool { profile == nil && profiles.isEmpty && merge.isEmpty }

    func validate() throws {
        if profile != nil, !profiles.isEmpty {
            throw ValidationError("found --profile and --profiles, expected one of them")
        }
        if !merge.isEmpty, profile != nil || !profiles.isEmpty {
            let other = profile == nil ? "--profiles" : "--profile"
            throw ValidationError("found --merge and \(other), expected one of them")
        }
    }
}

/// The options that say against what a message is checked.
struct RenderCheckOptions: ParsableArguments {
    @OptionGroup var app: AppOptions

    @Option(help: ArgumentHelp("The number of bytes that the campaign may have without a warning.", valueName: "bytes"))
    var budget: Int?

    @Option(
        help: ArgumentHelp(
            "Whether a missing value that a template prints is a warning or an error.", valueName: "severity"
        )
    )
    var missing = MissingOption.warn

    @OptionGroup var rules: RuleOptions

    func validate() throws {
        if let budget, budget < 0 { throw ValidationError("found the budget \(budget), expected a number of bytes") }
    }
}

/// The values of the option `--missing`.
enum MissingOption: String, ExpressibleByArgument, CaseIterable {
    case warn, error
}

/// The options for how a rendered payload is written.
struct RenderOutputOptions: ParsableArguments {
    @Option(help: "The format of the payload; by default text on a terminal, else payload.")
    var format: PayloadFormat?

    @Flag(help: "Write each member of the JSON on a line of its own.")
    var pretty = false

    @Option(
        help: ArgumentHelp("Write to a file, which appears when it is complete.", valueName: "file")
    )
    var output: String?

    @Option(help: ArgumentHelp("The app's bundle identifier; by default that of --app.", valueName: "id"))
    var bundleId: String?

    @Flag(
        help: ArgumentHelp(
            "Add every call of connected content to records: method, URL, headers, body, and what became of it.",
            discussion: "The format text shows them without it.")
    )
    var trace = false

    @Flag(help: "Exit with 0 even if messages fail to render, do not pass their checks, or are aborted.")
    var exitZero = false

    /// The path of the file to which the output is written; nil for standard output.
    var file: String? { output.flatMap { OutputTarget.isStandardOutput($0) ? nil : $0 } }

    /// Throws an error for options that have no effect on the output for one user.
    func validateOne() throws {
        let given = format.map { "with --format \($0.rawValue)" } ?? "without --format"
        // Without `--format`, output to a terminal is text.
        let isText = format == .text || format == nil && file == nil && StandardStream.output.isTerminal
        if trace, format != .record, !isText {
            throw ValidationError("found --trace \(given), expected --format record or text")
        }
        if bundleId != nil, format != .simulator, format != .request {
            throw ValidationError("found --bundle-id \(given), expected --format simulator or request")
        }
        if pretty, isText { throw ValidationError("found --pretty with --format text, which is not JSON") }
    }

    /// Throws an error for options that have no effect on the records of a batch.
    func validateBatch() throws {
        if pretty { throw ValidationError("found --pretty with --profiles, whose records are one line each") }
        if let format, format != .record {
            throw ValidationError(
                "found --format \(format.rawValue) with --profiles, which writes records; expected --profile with one user, "
                    + "or 'payloadgen preview', which shows several side by side")
        }
        if bundleId != nil { throw ValidationError("found --bundle-id with --profiles, whose records have none") }
    }

    /// Throws an error for options about records and payloads, if counts are merged.
    func validateMerging() throws {
        let options = [
            output.map { "--output \($0)" }, format.map { "--format \($0.rawValue)" }, pretty ? "--pretty" : nil,
            bundleId.map { "--bundle-id \($0)" },
        ]
        guard let option = options.compactMap(\.self).first else { return }
        throw ValidationError("found \(option) with --merge, which writes no records")
    }
}
