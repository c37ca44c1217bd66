// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import FindingReports
import InAppScenarios
import POSIXFiles
import PayloadKit
import PayloadLinting

/// Runs the tests of campaigns and scenarios, and writes snapshots of payloads.
struct TestRun {
    /// The options of rendering.
    var options: RenderOptions

    /// Whether snapshots that differ from the payload are replaced.
    let updatesSnapshots: Bool

    /// The exit status because of an input that could not be read; nil if all could.
    private(set) var inputStatus: ExitStatus?

    /// The findings about inputs.
    private(set) var inputFaults: [Diagnostic] = []

    /// Whether the branches that tests take are counted.
    let countsBranches: Bool

    /// The text that the names of the tests to run contain; nil to run all tests.
    private let filter: String?

    /// The names of the tests that are not run, because they do not contain ``filter``.
    private var leftOutNames: [String] = []

    /// The number of tests that are not run.
    var leftOutCount: Int { leftOutNames.count }

    /// Whether the run fails if too few branches are taken.
    private let requiresCoverage: Bool

    /// Whether one of the files is a campaign and not a scenario.
    private var hasCampaign = false

    /// The findings about campaigns without tests, by the paths of their suites.
    ///
    /// They are reported only if another file has tests.
    private var untested: [String: [Diagnostic]] = [:]

    /// Whether tests are written for branches that no test takes.
    let suggestsTests: Bool

    /// The branches that the tests have taken.
    private(set) var coverage = CoverageCollection()

    /// Messages about the tests that were written for branches that no test takes, and about branches for which none
    /// was found.
    private(set) var suggestions: [ShownText] = []

    /// A message about each snapshot that was written.
    private(set) var writtenSnapshots: [ShownText] = []

    /// The files that were read, except configurations and the files of apps.
    private let files = ReadFiles(keepsContents: false)

    /// The paths of the configurations that were read, and of the apps that scenarios name.
    private var projectPaths: Set<String> = []

    /// The severities of rules from the options.
    private let rules: RuleLevels

    /// The limits from the options.
    private let limits: LimitOptions

    /// Whether the note was reported that a campaign was checked against no app, so that it is reported once.
    private var hasNoteOnApps = false

    /// The findings about unread parts of apps that were reported already, so that they are reported once for all
    /// campaigns of an app.
    private var unread: [Diagnostic] = []

    /// The findings in the profiles of scenarios that were reported already.
    private var profileFindings: [Diagnostic] = []

    /// The apps that scenarios name, or the reasons that they cannot be read, by path.
    private var scenarioApps: [String: Result<NamedApp, InputError>] = [:]

    /// The projects that contain campaigns, with their apps, by the root folder of the project.
    private var projects: [String: Project] = [:]

    init(
        options: RenderOptions,
        rules: RuleLevels,
        limits: LimitOptions,
        updatesSnapshots: Bool,
        countsBranches: Bool,
        requiresCoverage: Bool,
        suggestsTests: Bool,
        filter: String?
    ) {
        self.filter = filter
        self.options = options
        self.rules = rules
        self.limits = limits
        self.updatesSnapshots = updatesSnapshots
        self.countsBranches = countsBranches || suggestsTests
        self.requiresCoverage = requiresCoverage
        self.suggestsTests = suggestsTests
    }

    /// Runs the tests of the files that a search found.
    ///
    /// The first suite contains the findings about files that are left out, and the finding that no file has a test.
    ///
    /// - Throws: an error if a snapshot cannot be written, or a named file cannot be read.
    mutating func suites(_ found: CampaignSearch.Found) throws(CommandFailure) -> [TestReport.Suite] {
        var suites: [TestReport.Suite] = []
        for item in found.items { suites.append(try runTests(item)) }
        guard let first = suites.first else { return suites }
        let read = Set(files.files.compactMap(\.identity))
        let others = found.others.filter { other in FileIdentity(path: other.path).map { !read.contains($0) } ?? true }
        var findings = found.findings + others.map(\.finding)
        func note(_ message: String, _ severity: Severity? = nil) {
            let place = SourcePlace(unread: first.path)
            findings.append(Diagnostic(.nothingChecked, message, at: place, severity: severity))
        }
        let hasTests = !suites.allSatisfy(\.cases.isEmpty)
        if requiresCoverage, hasTests, !hasCampaign {
            note("no branch is counted for --coverage-fail-under: the Liquid of scenarios is not counted")
        }
        if hasTests {
            for index in suites.indices {
                for finding in untested[suites[index].path] ?? [] { suites[index].add(finding) }
            }
        } else if let filter, !leftOutNames.isEmpty {
            let hint = didYouMean(nearestName(to: filter, in: leftOutNames))
            note("none of \(counted(leftOutNames.count, "test")) has '\(filter)' in its name\(hint)", .error)
        } else if !suites.contains(where: { $0.findings.contains { $0.rule == .nothingChecked } }) {
            note(suites.count == 1 ? "found no test" : "found no test in \(suites.count) files")
        }
        for finding in findings {
            let levels = try levels(at: finding.place?.file.path ?? ".")
            for finding in levels.apply(to: [finding]) { suites[0].add(finding) }
        }
        return filter == nil ? suites : suites.filter { !$0.cases.isEmpty || !$0.findings.isEmpty }
    }

    /// Whether the test with a name has to be run; notes the name if not.
    private mutating func isWanted(_ name: String) -> Bool {
        guard let filter, !name.holds(filter) else { return true }
        leftOutNames.append(name)
        return false
    }

    /// The severities of rules for findings in a file.
    private func levels(at path: String) throws(CommandFailure) -> RuleLevels {
        rules.over(try ProjectConfiguration.find(for: path)?.rules ?? RuleLevels())
    }

    /// Runs the tests of a file, which is a campaign or a scenario of in-app messages.
    ///
    /// If the file was found in a folder and cannot be read, this is only reported in its suite.
    private mutating func runTests(_ item: CampaignSearch.Item) throws(CommandFailure) -> TestReport.Suite {
        switch item {
        case .named(let path): return try runTests(of: Inputs.file(path), at: path)
        case .found(let path):
            let file: SourceFile
            do throws(FileError) {
                file = try SourceFile(contentsOf: path, in: ProjectRoot(of: path))
            } catch {
                return recordUnread(path, "'\(path)' is not read: \(error.explanation)")
            }
            return try runTests(of: file, at: path)
        case .missing(let path): return recordUnread(path, CampaignSearch.missing(path))
        case .unread(let gap): return recordUnread(gap.path, "'\(gap.path)' is not searched: \(gap.reason)")
        }
    }

    private mutating func recordUnread(_ path: String, _ message: String) -> TestReport.Suite {
        let place = SourcePlace(unread: path)
        let finding = Diagnostic(.unreadFile, message, at: place)
        return TestReport.Suite(path: path, cases: [recordFault(InputError(.missing, [finding]), in: nil)])
    }

    /// The suite for a file whose tests are not run because of errors in the file.
    private static func failedSuite(of file: SourceFile, _ findings: [Diagnostic]) -> TestReport.Suite {
        let errors = findings.filter { $0.severity == .error }.map { TestReport.Finding($0) }
        let test = TestReport.Case(name: nil, status: .failed, findings: errors)
        return TestReport.Suite(path: file.path, cases: [test], findings: findings.filter { $0.severity < .error })
    }

    /// The files that were read, with their identities, for comparison with the outputs.
    var inputs: [(path: String, identity: FileIdentity?)] {
        let apps = scenarioApps.values.compactMap { try? $0.get().project } + projects.values
        let paths = projectPaths.sorted() + apps.flatMap(\.readPaths)
        return files.files.map { ($0.path, $0.identity) } + paths.inputs
    }

    private mutating func runTests(of file: SourceFile, at path: String) throws(CommandFailure) -> TestReport.Suite {
        files.add(file, at: path, as: path)
        if isScenario(file) { return try runScenario(file, path) }
        hasCampaign = true
        return try runCampaign(file, path)
    }

    // MARK: - Scenarios

    private func isScenario(_ file: SourceFile) -> Bool {
        if Campaign.isCampaign(file.path) { return false }
        return CampaignSearch.isScenario(file.path) || ScenarioRecognition.recognizes(file)
    }

    /// Checks a scenario, and runs it if it is a test.
    ///
    /// Its expectations, if it has any, count as one test.
    private mutating func runScenario(
        _ file: SourceFile,
        _ path: String
    ) throws(CommandFailure) -> TestReport.Suite {
        let configuration = try ProjectConfiguration.find(for: path)
        note(configuration)
        let input: ScenarioInput
        do throws(InputError) {
            input = try ScenarioInput(file, at: path, clock: options.now, noting: files) { path throws(InputError) in
                let app = scenarioApps[path] ?? Result { () throws(InputError) in try ScenarioInput.app(at: path) }
                scenarioApps[path] = app
                return try app.get().app
            }
        } catch {
            return TestReport.Suite(path: file.path, cases: [recordFault(error, in: nil)])
        }
        if let app = input.file.appPath { projectPaths.insert(DiskFolder(around: path).path(to: app)) }
        let linted = LintedCampaign(scenario: file, in: DiskFolder(around: path))
        let levels = rules.over(configuration?.rules ?? RuleLevels())
        let all = CampaignCheck(linted, levels).findings(in: [.campaign, .message, .test])
        // The warnings about a profile are the same for all scenarios that use it.
        let repeated = all.filter { $0.severity < .error && $0.place?.file.path != file.path }
        let new = repeated.withoutRepetitions(of: profileFindings)
        profileFindings += new
        let findings = (all.without(repeated) + new).inReportOrder()
        let isFailed = findings.contains { $0.severity == .error }
        guard !isFailed else { return Self.failedSuite(of: file, findings) }
        // A scenario without events and without expected lines checks nothing, so it does not count as a test.
        guard let expectations = input.file.scenario.expectations,
            input.file.nothingSimulatedFinding == nil || !expectations.isEmpty
        else { return TestReport.Suite(path: file.path, cases: [], findings: findings) }
        guard isWanted(file.path.fileName) else {
            return TestReport.Suite(path: file.path, cases: [], findings: findings)
        }
        let failures: [Diagnostic]
        do throws(InputError) {
            failures = try input.file.failures(of: input.simulation)
        } catch {
            guard error.diagnostics.contains(where: { $0.rule != .renderError }) else {
                return Self.failedSuite(of: file, findings + error.diagnostics)
            }
            return TestReport.Suite(path: file.path, cases: [recordFault(error, in: nil)])
        }
        let name = counted(expectations.count, "expected line")
        let test = TestReport.Case(
            name: name,
            status: failures.isEmpty ? .passed : .failed,
            findings: failures.map { TestReport.Finding($0) }
        )
        return TestReport.Suite(path: file.path, cases: [test], findings: findings)
    }

    // MARK: - Campaigns

    private mutating func runCampaign(
        _ file: SourceFile,
        _ path: String
    ) throws(CommandFailure) -> TestReport.Suite {
        let configuration = try ProjectConfiguration.find(for: path)
        let disk = DiskFolder(around: path, configuration)
        let folder = NotingFolder(folder: disk, files: files)
        // Each campaign may be in another project, which may set other options.
        var options = options
        options.apply(configuration)
        options.rules = rules.over(configuration?.rules ?? RuleLevels())
        limits.apply(to: &options, configuration)
        let unbound: Campaign
        do throws(InputError) {
            unbound = try Campaign(file: file, folder: folder)
        } catch {
            return TestReport.Suite(path: file.path, cases: [recordFault(error, in: nil)])
        }
        let match = try match(unbound, at: path, configuration)
        let new: [Diagnostic]
        do throws(InputError) {
            new = try match.requireReadApps(options.rules).without(unread)
        } catch {
            return TestReport.Suite(path: file.path, cases: [recordFault(error, in: nil)])
        }
        unread += new
        note(configuration)
        let campaign = unbound.requiring(match.apps, besides: options.externalCategories)
        let renderer: CampaignRenderer
        do throws(InputError) {
            renderer = try campaign.renderer(options: options)
        } catch {
            // The campaign's tests are not run, because each of them would report the same syntax errors.
            return Self.failedSuite(of: file, error.diagnostics)
        }
        let linted = LintedCampaign(
            campaign,
            folder: folder,
            match: match,
            options: options,
            runsTests: true,
            dataNames: Set(options.context.variableNames)
        )
        let check = CampaignCheck(linted, options.rules)
        var findings = check.findings(in: [.campaign, .test]) + new
        if !hasNoteOnApps {
            let note = options.rules.apply(to: match.note(on: campaign))
            hasNoteOnApps = !note.isEmpty
            findings = (note + findings).inReportOrder()
        }
        let unused = campaign.unusedSnapshots(in: folder).map { Diagnostic.unusedSnapshot(disk.path(to: $0)) }
        findings += options.rules.apply(to: unused)
        let isFailed = findings.contains { $0.severity == .error }
        guard !isFailed else { return Self.failedSuite(of: file, findings) }
        guard path != "-" || campaign.tests.allSatisfy({ $0.expectation.snapshot == nil }) else {
            throw CommandFailure(.usage, "a campaign from standard input has no place for snapshots")
        }
        var counted = countsBranches ? Coverage(renderer.coverageMap) : nil
        var cases: [TestReport.Case] = []
        var messageFindings: [MessageFinding] = []
        for test in campaign.tests where isWanted(test.name) {
            cases.append(
                try run(
                    test, of: campaign, match.apps, options, in: folder, counting: &counted,
                    noting: &messageFindings))
        }
        findings += check.unsuppressed(messageFindings.map(\.shown)).uncovered(by: findings)
        // If the list of tests is there but empty, another finding says so.
        if campaign.tests.isEmpty, !findings.contains(where: { $0.rule == Rule.testExpectation.id }) {
            let message = "the campaign has no test, so no message of it is checked"
            let finding = Diagnostic(
                .nothingChecked, message, at: SourcePlace(wholeFile: file), severity: .info)
            untested[file.path] = options.rules.apply(to: check.unsuppressed([finding]))
        }
        if let counted {
            coverage.add(counted)
            if suggestsTests { try suggest(for: campaign, counted, options, in: disk) }
        }
        return TestReport.Suite(path: file.path, cases: cases, findings: findings)
    }

    /// Adds the configuration of a campaign or scenario to the paths that were read.
    private mutating func note(_ configuration: ProjectConfiguration?) {
        guard let configuration else { return }
        projectPaths.insert(configuration.folder + "/" + ProjectConfiguration.fileName)
    }

    /// The apps against which a campaign is checked; the apps of a project are read only once.
    private mutating func match(
        _ campaign: Campaign,
        at path: String,
        _ configuration: ProjectConfiguration?
    ) throws(CommandFailure) -> AppMatch {
        let root = ProjectRoot(of: path).path
        let project =
            if let known = projects[root] { known } else { try orFail(input: Project(around: path, configuration)) }
        projects[root] = project
        return project.explainedMatch(campaign, at: path)
    }

    /// Writes tests for branches that no test takes, into a folder beside the campaign.
    private mutating func suggest(
        for campaign: Campaign,
        _ coverage: Coverage,
        _ options: RenderOptions,
        in folder: DiskFolder
    ) throws(CommandFailure) {
        guard !coverage.missing.isEmpty else { return }
        let suggested = try orFail(input: SuggestedTests(for: campaign, coverage, options: options, folder: folder))
        for file in suggested.files {
            try orFail(file: folder.write(file.contents, to: file.path))
        }
        if let last = suggested.files.last {
            let tests = suggested.testCount == 1 ? "1 test" : "\(suggested.testCount) tests"
            let branches = suggested.branchCount == 1 ? "1 branch" : "\(suggested.branchCount) branches"
            let path = folder.path(to: last.path)
            suggestions.append("wrote '\(path)': \(tests) for \(branches); review them and move them to 'tests'")
        }
        func note(at branch: Int, _ message: ShownText) {
            let place = coverage.map.text(ofBranch: branch).place(ofBranch: branch)
            suggestions.append("note: \(place.file.path):\(place.start.line):\(place.start.column): " + message)
        }
        for branch in suggested.unreached {
            let text = coverage.map.text(ofBranch: branch)
            let needs = text.conditions(ofBranch: branch).joined(separator: "; ")
            note(at: branch, "found no user for '\(text.label(ofBranch: branch))', which needs: \(needs)")
        }
        if let first = suggested.untried.first {
            let count = suggested.untried.count
            let branches = count == 1 ? "1 branch was" : "\(count) branches were"
            note(
                at: first,
                "the search reached its limit: from here on \(branches) not tried; move the written tests to 'tests', and run it again"
            )
        }
    }

    /// A finding about a test's message, with the name of the test.
    private struct MessageFinding {
        let finding: Diagnostic
        let test: String

        /// The finding with the name of the test in its message.
        var shown: Diagnostic {
            var shown = finding
            shown.message += ", in the test '\(test)'"
            return shown
        }
    }

    /// Runs a test.
    ///
    /// `findings` gets the new findings about the test's message that do not make the test fail.
    private mutating func run(
        _ test: CampaignTest,
        of campaign: Campaign,
        _ apps: [App],
        _ options: RenderOptions,
        in folder: NotingFolder,
        counting coverage: inout Coverage?,
        noting findings: inout [MessageFinding]
    ) throws(CommandFailure) -> TestReport.Case {
        let result: Campaign.TestResult
        do throws(InputError) {
            result = try campaign.run(test, options: options, folder: folder, counting: coverage?.map)
        } catch {
            return recordFault(error, in: test.name)
        }
        if let taken = result.coverage { coverage?.add(taken) }
        let found = result.findings(in: apps, rules: options.rules)
        for var finding in found where finding.severity < .error {
            finding.place = finding.place ?? test.profile?.place ?? test.place
            // Numbers and quoted texts are not compared, because they differ from user to user, as in a batch.
            let isKnown = findings.contains { FindingKind($0.finding) == FindingKind(finding) }
            if !isKnown { findings.append(MessageFinding(finding: finding, test: test.name)) }
        }
        let errors = found.filter { $0.severity == .error }
        var mismatches = result.mismatches
        if let snapshot = result.snapshot, !snapshot.mismatches.isEmpty {
            // If the test fails for another reason, its payload is not the expected one, so no snapshot of it is
            // written.
            let isStored = (updatesSnapshots || snapshot.isMissing) && errors.isEmpty && mismatches.isEmpty
            if isStored { try store(snapshot, in: folder.folder) }
            if !updatesSnapshots || !isStored { mismatches += snapshot.mismatches }
        }
        return TestReport.Case(
            name: test.name,
            status: mismatches.isEmpty && errors.isEmpty ? .passed : .failed,
            findings: errors.map { TestReport.Finding($0) } + mismatches.map { TestReport.Finding($0) }
        )
    }

    private mutating func recordFault(_ error: InputError, in name: String?) -> TestReport.Case {
        if inputStatus != .missingInput {
            inputStatus = error.reason == .missing ? .missingInput : .unreadableInput
        }
        inputFaults += error.diagnostics.withoutRepetitions(of: inputFaults)
        return TestReport.Case(
            name: name,
            status: .error,
            findings: error.diagnostics.map { TestReport.Finding($0) }
        )
    }

    private mutating func store(_ snapshot: PayloadSnapshot, in folder: DiskFolder) throws(CommandFailure) {
        let path = folder.path(to: snapshot.path)
        try orFail(file: folder.write(snapshot.contents, to: snapshot.path))
        let isNew = snapshot.isMissing && !updatesSnapshots
        writtenSnapshots.append(isNew ? "recorded '\(path)': review it and run again" : "wrote '\(path)'")
    }
}

extension TestReport.Suite {
    /// Adds a finding about the file; an error counts as a failed test.
    fileprivate mutating func add(_ finding: Diagnostic) {
        guard finding.severity == .error else { return findings.append(finding) }
        cases.append(TestReport.Case(name: nil, status: .failed, findings: [TestReport.Finding(finding)]))
    }
}

extension Diagnostic {
    /// The finding about a snapshot that no test uses.
    fileprivate static func unusedSnapshot(_ path: String) -> Diagnostic {
        let place = SourcePlace(unread: path)
        let message = "no test of the campaign has this snapshot, so nothing is compared with it"
        return Diagnostic(.unreadFile, message, at: place, severity: .info)
    }
}

extension TestReport.Finding {
    init(_ mismatch: TestMismatch) {
        self.init(mismatch.diagnostic)
        path = mismatch.path
        expected = mismatch.expected
        found = mismatch.found
        isShortened = mismatch.isShortened
    }
}
