// SPDX-License-Identifier: MIT

import ArgumentParser
import Liquid
import SourceText

/// `payloadgen eval`.
struct Eval: Command {
    static let configuration = CommandConfiguration(
        abstract: "Render one Liquid template against a context.",
        discussion: "The text goes to standard output as it is, with nothing added."
    )

    enum Dialect: String, ExpressibleByArgument, CaseIterable {
        case liquid
    }

    @Argument(help: "The template, @FILE for a file, or - for standard input.")
    var template: String

    @Option(help: ArgumentHelp("What the template reads: one JSON object.", valueName: "file"))
    var context: String?

    @Option(help: "The dialect of Liquid.")
    var dialect = Dialect.liquid

    @Option(help: "How strictly Liquid is read.")
    var errorMode = ErrorModeOption.lax

    @Option(help: ArgumentHelp("What 'now' means, in ISO 8601.", valueName: "time"))
    var now: TimeArgument?

    @Flag(help: "End with 0 where the template does not render.")
    var exitZero = false

    @OptionGroup var color: ColorOption

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let file = try source()
        var data = LiquidObject.empty
        if let context { data = try Inputs.file(context).jsonObject() }
        let text: String
        do throws(LiquidError) {
            let template = try Template(file.bytes, mode: errorMode.mode)
            var renderer = Renderer(RenderInput(data: data, isDataShared: true, clock: now?.time ?? .current))
            _ = try renderer.render(template)
            text = renderer.output.string()
        } catch {
            console.report([error.diagnostic(in: file)])
            return ExitStatus.findings.forgiving(exitZero)
        }
        try console.print(text)
        return .success
    }

    private func source() throws(CommandFailure) -> SourceFile {
        if template == "-" { return try Inputs.file("-") }
        if template.utf8.first == UInt8(ascii: "@") { return try Inputs.file(String(template.dropFirst())) }
        return SourceFile(path: "<template>", text: template)
    }
}
