// SPDX-License-Identifier: MIT

import ArgumentParser
import BrazeLiquid
import DiagnosticSources
import LiquidTemplates
import PayloadKit
import PayloadLinting

/// The options for values besides the profile, and for how Liquid is read; `eval` and `render` have them.
struct ContextOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The values of 'api_trigger_properties': one JSON object.", valueName: "file"))
    var triggerProperties: String?

    @Option(help: ArgumentHelp("The values of 'event_properties': one JSON object.", valueName: "file"))
    var eventProperties: String?

    @Option(
        help: ArgumentHelp(
            "Values that the profile does not have, such as catalogs: one JSON object.", valueName: "file")
    )
    var context: String?

    @Option(help: ArgumentHelp("The time of 'now', in ISO 8601; by default the current time.", valueName: "time"))
    var now: TimeArgument?

    @Option(help: ArgumentHelp("The seed of {% random %}; by default 0.", valueName: "n"))
    var seed: Int?

    @Option(help: "How strictly Liquid is read.")
    var errorMode = ErrorModeOption.lax

    /// The paths in the options, each with the name of its option.
    var inputs: [(name: String, path: String?)] {
        [
            ("--trigger-properties", triggerProperties), ("--event-properties", eventProperties),
            ("--context", context),
        ]
    }

    /// Reads the files that the options name, and makes the options for rendering; the clock is read only once, here.
    ///
    /// - Parameter files: receives the files that are read; nil to record none.
    /// - Returns: the options for rendering, and the files that were read for them.
    /// - Throws: the reason that a file cannot be read.
    func renderOptions(
        noting files: ReadFiles? = nil
    ) throws(CommandFailure) -> (options: RenderOptions, given: GivenFiles) {
        var options = RenderOptions(now: .current)
        var given = GivenFiles()
        given.context = try Inputs.optional(context, noting: files, as: "--context")
        if let file = given.context { options.context = try Self.context(in: file) }
        given.values = options.context
        given.eventProperties = try Inputs.optional(eventProperties, noting: files, as: "--event-properties")
        options.eventProperties = try Self.properties(in: given.eventProperties)
        given.triggerProperties = try Inputs.optional(triggerProperties, noting: files, as: "--trigger-properties")
        given.trigger = try Self.properties(in: given.triggerProperties)
        if let now = now?.time ?? options.context.now { options.now = now }
        options.overridesNow = now != nil
        options.seed = seed ?? 0
        options.errorMode = errorMode.mode
        options.timeZones = SystemTimeZones()
        return (options, given)
    }

    /// The files that the options name, and the properties of the API trigger in one of them.
    struct GivenFiles {
        fileprivate(set) var context: SourceFile?

        fileprivate var values = RenderContext.empty

        /// The file with the properties of the API trigger.
        fileprivate(set) var triggerProperties: SourceFile?

        /// The file with the properties of the event.
        fileprivate(set) var eventProperties: SourceFile?

        /// The properties of the API trigger.
        fileprivate(set) var trigger = LiquidObject.empty

        /// Replaces the context by that of a test.
        mutating func use(context file: SourceFile, _ values: RenderContext) {
            (context, self.values) = (file, values)
        }

        /// Replaces the properties of the API trigger by those of a test.
        mutating func use(trigger properties: LiquidObject) { trigger = properties }

        /// The findings about unknown names in the files of properties; names in the properties of the profile's file
        /// are known.
        func findings(_ linted: LintedCampaign, profile: SourceFile?, _ levels: RuleLevels) -> [Diagnostic] {
            guard triggerProperties != nil || eventProperties != nil else { return [] }
            let profileContext = profile.flatMap { try? Profile(file: $0).context }
            return linted.findings(
                inTriggerProperties: triggerProperties, eventProperties: eventProperties,
                besides: [values] + (profileContext.map { [$0] } ?? []), levels)
        }
    }

    /// Reads the profile in a file; if the file is nil, returns a user about whom nothing is known.
    static func profile(in file: SourceFile?) throws(CommandFailure) -> Profile {
        guard let file else { return .unknown }
        return try orFail(input: Profile(file: file))
    }

    /// Reads the context at a path.
    static func context(_ path: String) throws(CommandFailure) -> RenderContext {
        try context(in: Inputs.file(path))
    }

    /// Reads the context in a file.
    static func context(in file: SourceFile) throws(CommandFailure) -> RenderContext {
        try orFail(input: RenderContext(file: file))
    }

    /// Reads the properties in a file; returns none if the file is nil.
    static func properties(in file: SourceFile?) throws(CommandFailure) -> LiquidObject {
        guard let file else { return .empty }
        return try orFail(input: LiquidObject(propertiesIn: file))
    }
}
