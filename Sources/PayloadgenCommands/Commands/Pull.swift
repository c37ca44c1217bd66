// SPDX-License-Identifier: MIT

import ArgumentParser
import BrazeWorkspaces
import DiagnosticSources
import Foundation
import POSIXFiles
import PayloadKit
import PayloadLinting

/// `payloadgen pull`: reads a workspace from Braze into files.
struct Pull: Command {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        _superCommandName: Payloadgen.name,
        abstract: "Write the campaigns, Canvases, content blocks and registries of a Braze workspace to files.",
        discussion: """
            Braze's REST API is only read, and users are never exported. The key is read from the environment variable \
            BRAZE_API_KEY, and needs the permissions campaigns.list, campaigns.details, canvas.list, canvas.details, \
            content_blocks.list, content_blocks.info, custom_attributes.get, catalogs.get and events.list. A file that is \
            there keeps all that Braze's API does not give, such as category, requires, tests and comments. With --check \
            nothing is written, and the command ends with 1 if files would change or Braze no longer has what they hold.

            --from reads saved responses: campaigns_list.json, campaign_details-ID.json, canvas_list.json, \
            canvas_details-ID.json, content_blocks_list.json, content_blocks_info-ID.json, custom_attributes.json, \
            catalogs.json and events_list.json; further pages of a list in campaigns_list-1.json and so on, edits that are \
            not launched in campaign_details-ID-draft.json. The details are enough where a list is missing.

            Example: payloadgen pull --from examples/braze --into braze
            """
    )

    @Option(
        help: ArgumentHelp(
            "Only these parts: campaigns, canvases, blocks, attributes, catalogs, events.", valueName: "parts"),
        transform: { try Self.parts($0) }
    )
    var only: Set<PullSelection.Part>?

    @Option(help: ArgumentHelp("Only the campaign with this id; repeatable.", valueName: "id"))
    var campaign: [String] = []

    @Option(help: ArgumentHelp("Only the Canvas with this id; repeatable.", valueName: "id"))
    var canvas: [String] = []

    @Flag(help: "Pull archived campaigns and Canvases, too.")
    var archived = false

    @Flag(help: "Pull drafts, too, and the edits of launched campaigns that are still drafts.")
    var drafts = false

    @Flag(help: "Show what would change, and write nothing.")
    var check = false

    @Flag(help: "Remove files of what Braze no longer has, if git has them without uncommitted changes.")
    var prune = false

    @Option(help: ArgumentHelp("Read saved responses in this folder instead of asking Braze.", valueName: "folder"))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "The folder to write to; by default pull.into of the configuration, or the configuration's own folder.",
            valueName: "folder"))
    var into: String?

    @Option(
        help: ArgumentHelp(
            "The REST API of the workspace; by default pull.url of the configuration, else BRAZE_REST_URL.",
            valueName: "url"))
    var url: String?

    @Flag(help: "Send the key to a host that is not under .braze.com or .braze.eu.")
    var anyHost = false

    @Option(help: ArgumentHelp("The environment variable with the key.", valueName: "name"))
    var keyEnv: String?

    @Option(help: ArgumentHelp("The seconds that a request may take.", valueName: "seconds"))
    var timeout = 30

    @OptionGroup var color: ColorOption

    private static func parts(_ list: String) throws -> Set<PullSelection.Part> {
        let words = list.parts(between: ",").map { $0.filter { $0 != " " } }
        let names = PullSelection.Part.allCases.map(\.rawValue)
        return try Set(
            words.map { word in
                guard let part = PullSelection.Part(rawValue: word) else {
                    let near = nearestName(to: word, in: names)
                    throw ValidationError(
                        "found '\(word)'\(didYouMean(near, else: ", expected some of \(names.joined(separator: ", "))"))"
                    )
                }
                return part
            })
    }

    func validate() throws {
        try Inputs.refuseEmpty([("--from", from), ("--into", into), ("--url", url), ("--key-env", keyEnv)])
        if from != nil, url != nil { throw ValidationError("found --url and --from, expected one of them") }
        guard (1...3_600).contains(timeout) else {
            throw ValidationError("found --timeout \(timeout), expected a number from 1 to 3600")
        }
    }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let configuration = try ProjectConfiguration.find(for: into ?? ".")
        let folder = folder(configuration)
        let progress = PullProgress()
        InterruptSignal.listen()
        let api = from == nil ? try api(configuration, progress, console) : nil
        let export: WorkspaceExport
        let plan: PullPlan
        do throws(PullFailure) {
            let source: any ExportSource = if let api { api } else { try SavedResponses(in: from ?? ".") }
            export = ExportReader(source, selection) { progress.show(done: $0, of: $1, $2) }.read()
            progress.clear()
            plan = try PullPlan(export, in: folder, prunes: prune)
        } catch {
            progress.clear()
            throw CommandFailure(error)
        }
        if api?.isKeyRepeated == true {
            console.log("note: a response of Braze contained the REST API key; '[redacted]' was written in its place")
        }
        for note in plan.notes { console.log("note: \(note)") }
        for refused in plan.refused { console.log("warning: \(refused)") }
        for gone in plan.gone { console.log("note: \(gone)\(prune ? "" : "; --prune removes it")") }
        // After an interruption, what was read until then is still written; a second interruption ends the process.
        let isInterrupted = export.failure?.kind == .interrupted ? { false } : { InterruptSignal.wasSent }
        let count: Int
        if check {
            count = try show(plan, isComplete: export.failure == nil, on: console)
        } else if export.failure != nil, plan.changes.isEmpty {
            count = 0
        } else {
            count = try write(plan, in: folder, on: console, isInterrupted: isInterrupted)
        }
        if let api { console.log("\(counted(api.requestCount, "request"))") }
        if let failure = export.failure {
            let rest = count == 0 ? "" : "; only what was read before is \(check ? "compared" : "written")"
            if failure.kind != .interrupted { console.log("error: \(failure.message)\(rest)") }
            return ExitStatus(failure.kind)
        }
        return (check && count > 0) || !plan.refused.isEmpty ? .findings : .success
    }

    // MARK: - Inputs

    private var selection: PullSelection {
        var selection = PullSelection()
        if let only { selection.parts = only }
        // If campaigns or Canvases are named, no other parts are pulled, unless `--only` names the parts.
        if only == nil, !(campaign + canvas).isEmpty {
            selection.parts = Set((campaign.isEmpty ? [] : [.campaigns]) + (canvas.isEmpty ? [] : [.canvases]))
        }
        (selection.campaigns, selection.canvases) = (campaign, canvas)
        (selection.includesArchived, selection.includesDrafts) = (archived, drafts)
        return selection
    }

    /// The folder to which the files are written, as messages show it.
    private func folder(_ configuration: ProjectConfiguration?) -> String {
        if let into {
            return into.utf8.last == UInt8(ascii: "/") && into.utf8.count > 1 ? String(into.dropLast()) : into
        }
        guard let folder = configuration?.pull.into ?? configuration?.folder else { return "." }
        let working = String.workingFolder.standardizedPath
        return folder == working ? "." : folder.path(relativeTo: working) ?? folder
    }

    private func api(
        _ configuration: ProjectConfiguration?,
        _ progress: PullProgress,
        _ console: Console
    ) throws(CommandFailure) -> BrazeAPI {
        let environment = ProcessInfo.processInfo.environment
        let name = keyEnv ?? configuration?.pull.keyName ?? "BRAZE_API_KEY"
        do throws(PullFailure) {
            let user = RESTOrigin.Source.user(allowsAnyHost: anyHost)
            let origin: RESTOrigin
            if let url {
                origin = try RESTOrigin(url, from: user)
            } else if let url = configuration?.pull.url?.value {
                origin = try RESTOrigin(url, from: .configuration)
            } else if let url = environment["BRAZE_REST_URL"], !url.isEmpty {
                origin = try RESTOrigin(url, from: user)
            } else {
                throw PullFailure.usage(
                    "found no address of Braze's REST API, expected --url https://rest.iad-01.braze.com or the like, or --from"
                )
            }
            guard let text = environment[name] else {
                throw PullFailure.usage(
                    "found no REST API key, expected one in the environment variable '\(name)'")
            }
            let key = try BrazeKey(text, named: name)
            let reporting = BrazeAPI.Reporting(
                wait: { reason, seconds in
                    progress.clear()
                    console.log("\(reason): the next attempt is in \(counted(seconds, "second"))")
                },
                sleep: { seconds in
                    // A signal may interrupt another thread than this one, so this one looks for it ten times a second.
                    for _ in 0..<(seconds * 10) where !InterruptSignal.wasSent {
                        InterruptSignal.wait(milliseconds: 100)
                    }
                },
                isInterrupted: { InterruptSignal.wasSent },
                clock: { Int(Date().timeIntervalSince1970) }
            )
            return try BrazeAPI(origin, key: key, timeout: timeout, reporting: reporting)
        } catch {
            throw CommandFailure(error)
        }
    }

    // MARK: - Results

    /// Prints the differences between the files and Braze; returns the number of files that differ.
    private func show(_ plan: PullPlan, isComplete: Bool, on console: Console) throws(CommandFailure) -> Int {
        let isForPeople = StandardStream.output.isTerminal
        try console.print(data: plan.diff(isForPeople: isForPeople))
        let (changed, gone) = (plan.changes.count, plan.gone.count)
        if changed > 0 { console.log("\(counted(changed, "file")) would change") }
        if gone > 0 { console.log("\(counted(gone, "file")) \(gone == 1 ? "has" : "have") what Braze no longer has") }
        if changed + gone == 0, isComplete { console.log("the files are what Braze has") }
        return changed + gone
    }

    private func write(
        _ plan: PullPlan,
        in folder: String,
        on console: Console,
        isInterrupted: () -> Bool
    ) throws(CommandFailure) -> Int {
        var (made, changed, removed) = (0, 0, 0)
        var failure: PullFailure?
        do throws(PullFailure) {
            try plan.write(isInterrupted: isInterrupted) { change in
                if change.new == nil { removed += 1 } else if change.old == nil { made += 1 } else { changed += 1 }
            }
        } catch {
            failure = error
        }
        console.log("\(counted(made, "new file")), \(changed) changed, \(removed) removed in '\(folder)'")
        if let failure { throw CommandFailure(failure) }
        return made + changed + removed
    }
}

extension ExitStatus {
    fileprivate init(_ kind: PullFailure.Kind) {
        self =
            switch kind {
            case .unreachable: .unreachable
            case .refused: .refused
            case .interrupted: .interrupted
            case .usage: .usage
            case .missing: .missingInput
            case .unreadable: .unreadableInput
            case .unwritable: .unwritableOutput
            }
    }
}

extension CommandFailure {
    fileprivate init(_ failure: PullFailure) {
        if failure.kind == .interrupted {
            self = .interrupted
        } else {
            self.init(ExitStatus(failure.kind), failure.message)
        }
    }
}

/// Shows on a terminal, in one line, how much of a workspace has been read.
private struct PullProgress: Sendable {
    private let isShown = Locked(false)

    func show(done: Int, of total: Int, _ what: String) {
        guard StandardStream.error.isTerminal else { return }
        isShown.withLock { shown in
            shown = true
            let part = done == total ? "\(done)" : "\(done) of \(total)"
            try? StandardStream.error.write("\r\u{1B}[K\(what): \(part)")
        }
    }

    func clear() {
        isShown.withLock { shown in
            if shown { try? StandardStream.error.write("\r\u{1B}[K") }
            shown = false
        }
    }
}
