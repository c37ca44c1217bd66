// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
import JSONTexts
import POSIXFiles
import PayloadKit

/// Makes the answers to the page's requests; HTTP itself is handled elsewhere.
struct PreviewAnswers {
    private let project: PreviewProject

    init(_ project: PreviewProject) { self.project = project }

    // MARK: - The page

    /// The page for a view.
    ///
    /// - Returns: the HTML, and whether the view can be shown; if not, the HTML says why.
    func page(
        _ view: PageView,
        _ request: DraftRequest,
        nonce: String
    ) throws(PreviewProblem) -> (bytes: [UInt8], isFound: Bool) {
        var model: PageModel
        var isFound = true
        do throws(PreviewProblem) {
            model = ScenePage(scene: try Scene(project, view, request, patience: BranchCover.patience)).model
            model["problem"] = nil as String?
        } catch {
            model = [
                "title": "payloadgen preview", "theme": ["chosen": nil as String?] as PageModel,
                "problem": error.message,
            ]
            isFound = false
        }
        model["nonce"] = nonce
        model["revision"] = project.revision
        return (try PageTemplate.preview.bytes(model), isFound)
    }

    // MARK: - JSON

    /// The body of an answer that reports an error.
    static func error(_ code: String, _ message: String) -> [UInt8] {
        answer { json in
            json.object("error") { json in
                json.member("code", code)
                json.member("message", message)
            }
        }
    }

    /// The state of the page about which a message from the page's script asks.
    func scene(_ message: PageMessage) throws(PreviewProblem) -> Scene {
        try Scene(project, message.view, message.request, scope: .message)
    }

    /// The state of a saved campaign as JSON: its text, its findings, and its people with their outcomes.
    func state(_ view: PageView) throws(PreviewProblem) -> [UInt8] {
        let scene = try Scene(project, view, DraftRequest())
        return Self.answer { json in
            json.member("revision", project.revision)
            json.member("campaign", scene.draft.path)
            json.member("base", scene.draft.base)
            json.member("text", scene.draft.text)
            if let app = scene.draft.app { json.member("app", app.name) }
            json.member("now", scene.now.iso8601Text)
            json.findings(scene.draft.findings)
            json.objects("people", scene.recipients) { json, recipient in
                json.member("id", recipient.person.number)
                json.member("name", recipient.person.name)
                json.member("outcome", recipient.word)
            }
        }
    }

    /// Answers a change in the form: `{"n", "view", "values": [[name, value]], "quick", "data"}`.
    ///
    /// The answer has the HTML of the page. A quick answer contains only the parts of the page that show the message of
    /// the selected person, without any checks of the campaign.
    func render(_ body: [UInt8]) throws(PreviewProblem) -> [UInt8] {
        let message = try PageMessage(body)
        let scene = try Scene(project, message.view, message.request, scope: message.isQuick ? .message : .page)
        let page = ScenePage(scene: scene)
        let text = try scene.scope == .message ? page.parts() : page.body()
        return Self.answer { json in
            json.member("n", message.number)
            json.member("revision", project.revision)
            json.member("base", scene.draft.base)
            json.member("text", scene.draft.text)
            json.member("edited", scene.draft.isEdited)
            // The page's script shows the added person, for which it needs the new view.
            if message.request.add != nil || message.request.remove != nil {
                json.member("view", scene.view.query)
            }
            json.member("title", page.title)
            if let profile = scene.profileJSON { json.member("profile", profile.problem == nil) }
            if scene.scope == .message {
                json.member("quick", true)
            } else {
                json.member("said", scene.announcement)
            }
            json.member("html", text)
            if message.wantsData {
                json.findings(scene.draft.findings)
                json.objects("records", scene.recipients) { $0.record(of: $1) }
            }
        }
    }

    /// The payload of the selected person's message, in the format `simulator` or `request`.
    func payload(_ view: PageView, format: String) throws(PreviewProblem) -> [UInt8] {
        let scene = try Scene(project, view, DraftRequest(), scope: .message)
        guard let payload = scene.selected.payload else { throw PreviewProblem("there is no payload") }
        let id = scene.draft.app?.bundleIdentifier ?? "com.example.app"
        switch format {
        case "simulator": return payload.simulatorJSON(bundleID: id, pretty: true)
        case "request": return payload.requestJSON(bundleID: id, pretty: true)
        default: throw PreviewProblem("found the format '\(format)', expected simulator or request")
        }
    }

    /// The profile of the selected person as JSON.
    func profile(_ view: PageView) throws(PreviewProblem) -> [UInt8] {
        Array(try Scene(project, view, DraftRequest(), scope: .message).profileText.utf8)
    }

    /// The address of the image in the selected person's message, for a request `{"view", "values"}`.
    func imageURL(_ body: [UInt8]) throws(PreviewProblem) -> String {
        guard project.settings.fetchesImages else {
            throw PreviewProblem("images are fetched only with --allow-images")
        }
        guard let url = try scene(try PageMessage(body)).selected.payload.flatMap({ MessageDescription($0).image?.url })
        else {
            throw PreviewProblem("the message has no image")
        }
        return url
    }

    // MARK: - Branches

    /// Answers a request to look through more profiles for a few that together take every branch: `{"view", "values"}`.
    ///
    /// The page asks repeatedly until all profiles were looked through; the search stops when the page stops asking.
    func cover(_ body: [UInt8]) throws(PreviewProblem) -> [UInt8] {
        let message = try PageMessage(body)
        var view = message.view
        view.isOnePerBranch = true
        let scene = try Scene(project, view, message.request, patience: 0.25)
        guard let cover = scene.cover, let branches = scene.branches else {
            throw PreviewProblem("the campaign cannot be rendered")
        }
        return Self.answer { json in
            json.member("done", cover.isDone)
            json.member("profiles", cover.seen)
            json.member("of", scene.people.count)
            json.array("people", cover.chosen) { $0.integer($1) }
            json.objects("arms", branches.all) { json, branch in
                json.member("id", branch.key)
                json.member("label", branch.label)
                json.member("place", branch.place.shown)
                json.member("condition", branch.conditions.joined(separator: ", and "))
                json.member("reached_by", branch.takers)
            }
        }
    }

    // MARK: - Saving

    /// Saves the contents of the page's form in the campaign's file.
    ///
    /// - Returns: whether they were saved; false if the file and the form changed the same lines.
    /// - Throws: the reason that they cannot be saved.
    func save(_ view: PageView, _ request: DraftRequest) throws(PreviewProblem) -> Bool {
        guard !project.settings.isReadOnly else { throw PreviewProblem("the preview is read-only") }
        let path = try project.campaign(view.campaign)
        return try project.whileSaving { () throws(PreviewProblem) in
            var request = request
            // If another program changes the file after it was read, its text is merged with the form's again.
            for _ in 0..<Self.saveLimit {
                var problems: [String] = []
                let text = try DraftText(project, path, request, app: view.app, &problems)
                if let problem = problems.first { throw PreviewProblem(problem) }
                if text.isConflicting { return false }
                if try project.write(text.draft.file.bytes, to: path, over: text.merged) { return true }
                request.base = request.base ?? CampaignDraft.revision(of: text.merged)
            }
            throw PreviewProblem("'\(path)' changes again and again while it is saved")
        }
    }

    /// The maximum number of attempts to save while another program changes the file.
    private static let saveLimit = 20

    /// Answers a request to save the text of the form: `{"view", "values", "force"}`.
    func save(_ body: [UInt8]) throws(PreviewProblem) -> (json: [UInt8], isConflicting: Bool) {
        let message = try PageMessage(body)
        let path = try project.campaign(message.view.campaign)
        var request = message.request
        // The user has seen the other text and decided to overwrite the file, so nothing is merged.
        if message.forces { request.base = nil }
        let isSaved = try save(message.view, request)
        let saved = try project.saved(path)
        let json = Self.answer { json in
            json.member("revision", CampaignDraft.revision(of: saved))
            json.member("text", LineText(saved).text)
        }
        return (json, !isSaved)
    }

    /// A JSON object; `body` writes its members.
    static func answer(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object { body(&$0) }
        return json.buffer.withUnsafeBytes { Array($0) }
    }
}

/// A message from the script of the page.
struct PageMessage {
    let number: Int
    let view: PageView
    let request: DraftRequest
    let isQuick: Bool
    let wantsData: Bool
    let forces: Bool

    /// For a request for suggestions: the text before the cursor.
    let field: String

    /// For a request for suggestions: the cursor's offset in UTF-16 units.
    let offset: Int

    init(_ body: [UInt8]) throws(PreviewProblem) {
        let root = (try? JSONDocument(SourceFile(path: "request", bytes: body)))?.root
        guard let root, root.kind == .object else { throw PreviewProblem("expected a JSON object") }
        number = root["n"]?.integer ?? 0
        offset = root["offset"]?.integer ?? 0
        view = PageView(query: root["view"]?.string ?? "")
        field = root["field"]?.string ?? ""
        isQuick = root["quick"]?.bool ?? false
        wantsData = root["data"]?.bool ?? false
        forces = root["force"]?.bool ?? false
        var values: [(name: String, value: String)] = []
        for pair in root["values"]?.elements.map({ Array($0.elements) }) ?? [] where pair.count == 2 {
            if let name = pair[0].string, let value = pair[1].string { values.append((name, value)) }
        }
        request = DraftRequest(values)
    }
}

extension Scene {
    /// The text that a screen reader reads out after a change.
    var announcement: String {
        let count = draft.findings.count { $0.severity > .info }
        let outcome: String
        switch selected.status {
        case .sent, .faulty: outcome = "\(selected.payload?.size.bytes ?? 0) bytes"
        case .failed: outcome = "failed"
        case .aborted: outcome = "aborted"
        }
        return "\(selected.person.name): \(outcome), \(counted(count, "finding"))"
    }
}

extension JSONWriter {
    /// Writes findings as an array, in the format of `lint --format json`.
    fileprivate mutating func findings(_ findings: [Diagnostic]) {
        key("findings")
        var buffer = ByteBuffer()
        let report = Report(tool: Report.Tool(name: "payloadgen", version: ""), rules: [], diagnostics: findings)
        ReportFormat.json.write(report, options: ReportFormat.Options(), into: &buffer)
        let text = buffer.withUnsafeBytes { Array($0) }
        text.withUnsafeBufferPointer { raw($0) }
    }

    /// Writes the record of a person's message with the cost of each field; its payload is included even if checks
    /// fail.
    fileprivate mutating func record(of recipient: Recipient) {
        member("person", recipient.person.number)
        key("record")
        var record = JSONWriter()
        let id = try? recipient.person.profile.get().id
        Record(id: id, outcome: recipient.outcome).write(into: &record)
        record.buffer.withUnsafeBytes { raw($0) }
        if let payload = recipient.payload {
            key("payload")
            payload.bytes.withUnsafeBufferPointer { raw($0) }
            object("costs") { json in
                for field in payload.fields { json.member(field.name, field.cost) }
                json.member("structure", payload.size.structure)
            }
        }
    }
}
