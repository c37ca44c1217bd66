// SPDX-License-Identifier: MIT

/// Runs the commands on a page, and compares their output with what the page shows.
struct PageCheck {
    private(set) var faults: [Page.Fault]

    /// The text of the page with the actual output of its commands; nil if the page shows this already.
    private(set) var corrected: String?

    /// Checks a page.
    ///
    /// - Throws: an error if the shell cannot be run.
    init(_ page: Page, exceptions: [NotRun] = [], repository: Repository) throws {
        let plan = PagePlan(page, exceptions: exceptions, repository: repository)
        faults = plan.faults
        guard !plan.steps.isEmpty else { return }
        let results = try PageShell().run(plan.steps.map(\.script), repository: repository)
        var lines = page.lines
        for (step, result) in zip(plan.steps, results).reversed() {
            guard let result else {
                fault(step.line, "a command before this one ended the shell")
                continue
            }
            if result.status != 0, !step.mayFail {
                let printed = result.printed.joined(separator: "\n")
                fault(step.line, "ends with \(result.status), expected 0, or 'echo $?' as the next command\n\(printed)")
            }
            guard let output = step.output, output.lines != result.printed else { continue }
            fault(step.line, "prints something else\n\(difference(expected: output.lines, found: result.printed))")
            guard let start = output.start else { continue }
            lines.replaceSubrange(start - 1..<start - 1 + output.lines.count, with: result.printed)
        }
        if lines != page.lines { corrected = lines.joined(separator: "\n") }
        faults.sort { $0.line < $1.line }
    }

    private mutating func fault(_ line: Int, _ message: String) {
        faults.append(Page.Fault(line: line, message: message))
    }
}
