// SPDX-License-Identifier: MIT

/// What the fences of a page ask for: commands to run in order, and the faults that are found without running any.
///
/// | fence | what is checked |
/// |---|---|
/// | `console` | each line after `$ ` runs; the lines after it are what it prints |
/// | `shell` | runs as a whole; prints what a fence of `text` directly after it holds, and nothing without one |
/// | `swift`, `json` | is quoted from a source file that other tests build and run |
/// | `yaml` | is a campaign, which is linted; a configuration of CI, see ``CISnippet``; or quoted |
/// | `python` | parses |
///
/// A command ends with status 0, unless the next one is `echo $?`.
struct PagePlan: Sendable {
    /// A script for the shell, and the output that the page shows for it.
    struct Step: Sendable {
        let script: String

        /// The line number of the script on the page.
        let line: Int

        /// The output that the page shows; nil if it shows none.
        var output: Output?

        /// Whether the script may end with a status other than 0, because the page shows the status next.
        var mayFail = false
    }

    /// The output of a script, as lines on a page.
    struct Output: Sendable {
        var lines: [String] = []

        /// The line number on the page at which the output begins; nil if the page has no place for it.
        var start: Int?
    }

    private(set) var steps: [Step] = []
    private(set) var faults: [Page.Fault]

    /// Makes the plan for a page.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - exceptions: the fences that are not run.
    ///   - repository: the files that fences quote.
    init(_ page: Page, exceptions: [NotRun], repository: Repository) {
        faults = page.faults
        var unused = exceptions.filter { $0.page == page.path }
        // The last line of the previous fence if that is a script, whose output may follow; otherwise nil.
        var scriptEnd: Int?
        for fence in page.fences {
            if let index = unused.firstIndex(where: { $0.text == fence.text }) {
                unused.remove(at: index)
                scriptEnd = nil
            } else if fence.language == "text", let end = scriptEnd, fence.line - end <= 3 {
                steps[steps.count - 1].output = Output(lines: fence.lines, start: fence.line)
                scriptEnd = nil
            } else {
                read(fence, repository)
                scriptEnd = fence.language == "shell" ? fence.endLine : nil
            }
        }
        for exception in unused {
            fault(
                1,
                "found no fence that is listed as not run, remove it from the list or correct it:\n\(exception.text)"
            )
        }
    }

    private mutating func fault(_ line: Int, _ message: String) {
        faults.append(Page.Fault(line: line, message: message))
    }

    private mutating func read(_ fence: Page.Fence, _ repository: Repository) {
        switch fence.language {
        case "console": readConsole(fence)
        case "shell": steps.append(Step(script: fence.text, line: fence.line, output: Output()))
        case "python":
            steps.append(
                Step(
                    script: hereDocument("python3 -c 'import ast, sys; ast.parse(sys.stdin.read())'", fence.text),
                    line: fence.line,
                    output: Output()
                )
            )
        case "yaml": readYAML(fence, repository)
        case "swift", "json": readQuotation(fence, repository)
        default:
            let found = fence.language.isEmpty ? "no language" : "the language '\(fence.language)'"
            fault(
                fence.line - 1,
                "found \(found), expected console, shell with the text that it prints, swift, yaml, json or python; "
                    + "list the fence in NotRun.swift if no test can run it"
            )
        }
    }

    private mutating func readConsole(_ fence: Page.Fence) {
        let first = steps.count
        var isContinued = false
        var script: [String] = []
        for (offset, line) in fence.lines.enumerated() {
            if line.hasPrefix("$ ") || isContinued {
                script.append(isContinued ? line : String(line.dropFirst(2)))
                isContinued = line.hasSuffix("\\")
                guard !isContinued else { continue }
                let text = script.joined(separator: "\n")
                if text == "echo $?", steps.count > first { steps[steps.count - 1].mayFail = true }
                let commandLine = fence.line + offset - script.count + 1
                steps.append(Step(script: text, line: commandLine, output: Output(start: fence.line + offset + 1)))
                script = []
            } else if steps.count > first {
                steps[steps.count - 1].output?.lines.append(line)
            } else {
                fault(fence.line, "found '\(line)' at the start of a console, expected '$ ' and a command")
                return
            }
        }
        if isContinued { fault(fence.endLine, "found the end of the console, expected the rest of the command") }
    }

    private mutating func readYAML(_ fence: Page.Fence, _ repository: Repository) {
        do {
            if let snippet = try CISnippet(fence.text) {
                for message in try snippet.faults(repository) { fault(fence.line, message) }
                if let script = snippet.script { steps.append(Step(script: script, line: fence.line)) }
            } else if try isCampaign(fence.text) {
                let name = "line-\(fence.line).campaign.yml"
                let script = hereDocument("cat >\(name)", fence.text) + "payloadgen lint \(name)\n"
                steps.append(Step(script: script, line: fence.line, output: Output(lines: ["no findings"])))
            } else {
                readQuotation(fence, repository)
            }
        } catch {
            fault(fence.line, "invalid YAML: \(error)")
        }
    }

    private mutating func readQuotation(_ fence: Page.Fence, _ repository: Repository) {
        do {
            guard let near = try repository.nearestSource(to: fence) else { return }
            fault(fence.line, "found \(fence.language) that is not quoted from a file that the tests use; \(near)")
        } catch {
            fault(fence.line, "the sources cannot be read: \(error)")
        }
    }
}

/// A shell command that reads a text from standard input.
private func hereDocument(_ command: String, _ text: String) -> String {
    "\(command) <<'END_OF_FENCE'\n\(text)\nEND_OF_FENCE\n"
}
