// SPDX-License-Identifier: MIT

import ArgumentParser
import BrazeLiquid
import DiagnosticSources
import LiquidTemplates
import POSIXFiles
import PayloadKit
import PayloadLinting

/// `payloadgen eval`: renders one template.
struct Eval: Command {
    static let configuration = CommandConfiguration(
        commandName: "eval",
        _superCommandName: Payloadgen.name,
        abstract: "Render one Liquid template.",
        discussion: """
            The text is written to standard output, with nothing added.

            Example: payloadgen eval 'Hi {{ ${first_name} | default: "there" }}' --profile examples/profiles/ana.json
            """
    )

    enum Dialect: String, ExpressibleByArgument, CaseIterable {
        case braze, liquid
    }

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, record
    }

    @Argument(help: "The template, @FILE for a file, or - for standard input.")
    var template: String

    @Option(help: ArgumentHelp("The user, as Braze exports one, or in the short form.", valueName: "file"))
    var profile: String?

    @OptionGroup var context: ContextOptions

    @Option(help: "Braze's Liquid, or standard Liquid, for which --context is a JSON object of variables.")
    var dialect = Dialect.braze

    @Option(help: "The text alone, or a JSON object with the outcome.")
    var format = Format.text

    @Flag(help: "Exit with 0 even if the template does not render or is aborted.")
    var exitZero = false

    @Option(
        help: ArgumentHelp(
            "Whether a missing value that the template prints is a warning or an error.", valueName: "severity"
        )
    )
    var missing = MissingOption.warn

    @OptionGroup var rules: RuleOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var color: ColorOption

    func validate() throws {
        let template = template == "@-" ? "-" : template
        try Inputs.requireOneStandardInput([("the template", template), ("--profile", profile)] + context.inputs)
        guard dialect == .liquid else { return }
        let options = [
            ("--profile", profile), ("--trigger-properties", context.triggerProperties),
            ("--event-properties", context.eventProperties),
        ]
        let given = options.filter { $0.1 != nil }.map(\.0)
        guard given.isEmpty else {
            throw ValidationError("found \(given.listed()) with --dialect liquid, which accepts only --context")
        }
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let source = try source()
        let isFile = template.utf8.first == UInt8(ascii: "@")
        let configuration = try ProjectConfiguration.find(for: isFile ? String(template.dropFirst()) : ".")
        let levels = try rules.levels(configuration, notingOn: console)
        let evaluation =
            switch dialect {
            case .braze: try braze(source, configuration, levels)
            case .liquid: try standard(source, configuration, levels)
            }
        if !isFile, template != "-", FolderWalk.item(at: template) == .file {
            console.log("note: '\(template)' is a file, and its path was rendered: '@\(template)' renders its text")
        }
        console.report(evaluation.diagnostics)
        if format == .record {
            try console.print(data: evaluation.json + "\n")
        } else if case .rendered(let text) = evaluation.ending {
            try console.print(data: text)
        }
        switch evaluation.ending {
        case .rendered: return .success
        case .aborted(let reason):
            console.log("aborted: \(reason)")
            return ExitStatus.aborted.forgiving(exitZero)
        case .failed: return ExitStatus.findings.forgiving(exitZero)
        }
    }

    /// Renders a template in Braze's dialect, and adds the findings of `lint` about it.
    ///
    /// Each input is read only once, as it may be a pipe.
    private func braze(
        _ source: SourceFile,
        _ configuration: ProjectConfiguration?,
        _ levels: RuleLevels
    ) throws(CommandFailure) -> Evaluation {
        let profileFile = try Inputs.optional(profile)
        let profile = try ContextOptions.profile(in: profileFile)
        let (options, given) = try context.renderOptions()
        let data = profile.context
            .laid(overTriggerProperties: given.trigger, eventProperties: options.eventProperties)
            .laid(over: options.context)
        var evaluation = Evaluation(
            braze: source,
            data: data.root,
            fixtures: data.fixtures,
            recordID: profile.id ?? "",
            settings: BrazeSettings(
                clock: context.now?.time ?? data.now ?? options.now,
                timeZones: options.timeZones,
                seed: options.seed,
                undefinedPolicy: .collecting,
                limits: limits.limits(configuration),
                stopwatch: ProcessorStopwatch()
            ),
            mode: context.errorMode,
            missing: missing
        )
        evaluation.apply(levels)
        let names = Set(options.context.variableNames + profile.context.variableNames)
        let linted = LintedCampaign(
            template: source, profile: profileFile, context: given.context, dataNames: names,
            registry: configuration?.workspace?.registry)
        let severalDevices = linted.severalDevices(of: profile, in: data)
        evaluation.add(levels.apply(to: [severalDevices].compactMap(\.self)))
        evaluation.add(CampaignCheck(linted, levels).findings(in: [.campaign, .message]))
        if let profileFile { evaluation.add(ProfileFindings(linted, levels).about(profileFile)) }
        evaluation.add(given.findings(linted, profile: profileFile, levels))
        return evaluation
    }

    private func standard(
        _ source: SourceFile,
        _ configuration: ProjectConfiguration?,
        _ levels: RuleLevels
    ) throws(CommandFailure) -> Evaluation {
        let data = try context.context.map { path throws(CommandFailure) in try Inputs.file(path).jsonObject() }
        var input = RenderInput(data: data ?? .empty, isDataShared: true, clock: context.now?.time ?? .current)
        input.timeZones = SystemTimeZones()
        input.undefinedPolicy = .collecting
        input.limits = limits.limits(configuration)
        input.stopwatch = ProcessorStopwatch()
        var evaluation = Evaluation(standard: source, input: input, mode: context.errorMode, missing: missing)
        evaluation.apply(levels)
        return evaluation
    }

    /// The source of the template; a byte order mark at the start of a file is left out.
    private func source() throws(CommandFailure) -> SourceFile {
        let isFile = template.utf8.first == UInt8(ascii: "@")
        guard isFile || template == "-" else { return SourceFile(path: "<template>", text: template) }
        let file = try Inputs.file(isFile ? String(template.dropFirst()) : template)
        if let offset = file.firstInvalidOffset {
            let place = SourcePlace(file, SourceRange(offset, offset + 1))
            throw CommandFailure(
                InputError(.invalid, [Diagnostic(.liquidSyntax, "the template is not UTF-8", at: place)])
            )
        }
        let start = TextEncoding.utf8.lengthOfByteOrderMark(in: file.bytes)
        return start == 0 ? file : SourceFile(path: file.path, bytes: Array(file.bytes[start...]))
    }
}
