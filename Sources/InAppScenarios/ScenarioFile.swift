// SPDX-License-Identifier: MIT

import DiagnosticSources
package import DocumentFormats
import POSIXFiles

/// A scenario of in-app messages and pushes, read from a YAML or JSON file.
///
/// ```swift
/// let file = try ScenarioFile(contentsOf: "scenarios/welcome.yml")
/// #expect(try file.failures().isEmpty)
/// ```
public struct ScenarioFile: Sendable {
    /// The file from which the scenario was read.
    public let file: SourceFile

    /// The scenario in the file.
    public let scenario: Scenario

    /// The time at which the timeline starts; absolute times are converted to seconds since then.
    public let start: Time

    /// The path of the user's profile, relative to the file; nil if the file does not name one.
    public let profilePath: String?

    /// The place at which the file names the profile.
    package let profilePlace: SourcePlace?

    /// The app that the scenario names; nil if the file does not name one.
    package let app: DeclaredApp?

    /// The path of the app's folder or `app.json`, relative to the file; nil if the file does not name one.
    ///
    /// The app is not read here: pass what it declares to ``simulation(context:settings:app:)``.
    public var appPath: String? { app?.path }

    /// The events of the timeline, each with its time in seconds and its place in the file.
    package let events: [(time: Double, event: AppEvent.Kind, place: SourcePlace)]

    /// The properties of the events and of the records that the timeline saves, each with its place in the file.
    package let properties: [(name: String, isObject: Bool, place: SourcePlace)]

    /// Whether the file or the caller sets the start time; otherwise, the clock does.
    package let hasStart: Bool

    /// The key-value pairs of the messages, each with the id of its message; the values are templates.
    package let extras: [(message: String, pair: DocumentMember)]

    /// The ranges of the expectations in the file, followed by the range of their list.
    private let expectationPlaces: [SourceRange]

    /// The range of each message, by its id.
    private let messagePlaces: [String: SourceRange]

    /// The maximum number of bytes of a file.
    public static let byteLimit = 8 << 20

    /// Reads a scenario.
    ///
    /// - Parameters:
    ///   - file: YAML or JSON.
    ///   - now: the time at which the timeline starts; nil for the time in the file.
    ///   - clock: the time at which the timeline starts if neither the file nor `now` sets it.
    /// - Throws: every fault in the file, with its place.
    public init(_ file: SourceFile, now: Time? = nil, clock: Time = Time(seconds: 0)) throws(InputError) {
        let reading = Self.read(file, now: now, clock: clock)
        let faults = reading.faults + reading.faultsOfExtras
        guard let scenario = reading.file, faults.isEmpty else {
            throw InputError(.invalid, faults.inReportOrder())
        }
        self = scenario
    }

    /// The result of reading a scenario file that may have faults.
    package struct Reading {
        /// The scenario, or the part of it that can be read; nil if nothing can be read.
        package var file: ScenarioFile?

        /// The faults in the file, without ``faultsOfExtras``.
        package var faults: [Diagnostic]

        /// The Liquid errors in the values of key-value pairs.
        var faultsOfExtras: [Diagnostic] = []
    }

    /// Reads a scenario, or the part of it that can be read.
    ///
    /// - Parameters:
    ///   - file: YAML or JSON.
    ///   - now: the time at which the timeline starts; nil for the time in the file.
    ///   - clock: the time at which the timeline starts if neither the file nor `now` sets it.
    /// - Returns: the scenario, and every fault in the file, with its place.
    package static func read(_ file: SourceFile, now: Time? = nil, clock: Time = Time(seconds: 0)) -> Reading {
        let start = SourcePlace(wholeFile: file)
        guard file.bytes.count <= Self.byteLimit else {
            let message = "the scenario has \(file.bytes.count) bytes, expected at most \(Self.byteLimit)"
            return Reading(faults: [Diagnostic(.scenarioLimit, message, at: start)])
        }
        do throws(InputError) {
            guard let root = try DocumentNode.read(file, rule: .scenarioSyntax) else {
                return Reading(faults: [Diagnostic(.scenarioSyntax, "the file is empty", at: start)])
            }
            var reader = ScenarioReader(file: file, now: now, clock: clock)
            reader.read(root)
            return Reading(
                file: ScenarioFile(file, reader),
                faults: reader.document.diagnostics,
                faultsOfExtras: reader.faultsOfExtras
            )
        } catch {
            return Reading(faults: error.diagnostics)
        }
    }

    private init(_ file: SourceFile, _ reader: ScenarioReader) {
        self.file = file
        scenario = reader.scenario
        start = reader.start
        app = reader.app
        profilePath = reader.profile?.path
        profilePlace = (reader.profile?.range).map { SourcePlace(file, $0) }
        events = reader.events.map { ($0.time, $0.kind, SourcePlace(file, $0.range)) }
        properties = reader.properties.map { ($0.name, $0.isObject, SourcePlace(file, $0.range)) }
        hasStart = reader.hasStart
        extras = reader.extras
        expectationPlaces = reader.expectationPlaces
        messagePlaces = reader.messagePlaces
    }

    /// Reads the scenario at a path.
    ///
    /// - Throws: why the file cannot be read, or every fault in it, with its place.
    public init(
        contentsOf path: String,
        now: Time? = nil,
        clock: Time = Time(seconds: 0)
    ) throws(InputError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try OpenFile(path).bytes(limit: Self.byteLimit)
        } catch {
            throw InputError(
                error.reason == .missing ? .missing : .invalid,
                [Diagnostic(.scenarioSyntax, error.description, at: nil)]
            )
        }
        try self.init(SourceFile(path: path, bytes: bytes), now: now, clock: clock)
    }

    /// The simulation of the scenario.
    ///
    /// - Parameters:
    ///   - context: what the key-value pairs of messages may read.
    ///   - settings: how key-value pairs are rendered; by default, the clock is the start of the timeline, and there
    ///     are no named time zones.
    ///   - app: what the app declares and does; nil for what the file says.
    /// - Returns: the simulation.
    public func simulation(
        context: RenderContext = .empty,
        settings: BrazeSettings? = nil,
        app: AppSetup? = nil
    ) -> Simulation {
        var scenario = scenario
        scenario.app = app ?? scenario.app
        return Simulation(scenario, context: context, settings: settings ?? BrazeSettings(clock: start))
    }

    /// Runs the scenario and compares the result with its expectations.
    ///
    /// - Returns: the first line that differs, with its place, and a finding if the expectations depend on the current
    ///   time; empty if all lines are as expected.
    /// - Throws: the limit that the scenario exceeds or the fixture that it lacks, at its place.
    public func failures(
        context: RenderContext = .empty,
        settings: BrazeSettings? = nil
    ) throws(InputError) -> [Diagnostic] {
        try failures(of: simulation(context: context, settings: settings))
    }

    /// Runs a simulation of the scenario and compares the result with its expectations.
    ///
    /// - Returns: the first line that differs, with its place, and a finding if the expectations depend on the current
    ///   time; empty if all lines are as expected.
    /// - Throws: the limit that the scenario exceeds or the fixture that it lacks, at its place.
    public func failures(of simulation: Simulation) throws(InputError) -> [Diagnostic] {
        var comparison = Scenario.Comparison(scenario)
        do throws(SimulationError) {
            let readsClock = try simulation.forEachLine { line in
                comparison.take(line)
                return true
            }
            return failures(comparison.end(), readsClock: readsClock)
        } catch {
            throw inputError(error)
        }
    }

    /// Compares the lines of a run with the expectations.
    ///
    /// - Returns: the first line that differs, with its place; empty if all lines are as expected.
    public func failures(of lines: [Simulation.Line]) -> [Diagnostic] {
        failures(scenario.mismatch(with: lines), readsClock: false)
    }

    /// The findings about a difference, at its place in the file, and about expectations that depend on the current
    /// time.
    ///
    /// - Parameters:
    ///   - mismatch: the difference; nil if there is none.
    ///   - readsClock: whether the current time affects what a message shows or whether it is shown.
    /// - Returns: the findings.
    package func failures(_ mismatch: Scenario.Mismatch?, readsClock: Bool) -> [Diagnostic] {
        var failures: [Diagnostic] = []
        if readsClock, !hasStart, let place = expectationPlace {
            let message = "the value of a key-value pair uses the current time, expected 'now' in the scenario"
            failures.append(Diagnostic(.testFailed, message, at: place))
        }
        guard let mismatch else { return failures }
        let expected = mismatch.expected?.description ?? "nothing more"
        let found = mismatch.found.map { "\($0)" } ?? "nothing more"
        let place = expectationPlaces[min(mismatch.index, expectationPlaces.count - 1)]
        failures.append(
            Diagnostic(.testFailed, "found \(found), expected \(expected)", at: SourcePlace(file, place)))
        return failures
    }

    /// The place of the list of expectations; nil if the file has none.
    package var expectationPlace: SourcePlace? { expectationPlaces.last.map { SourcePlace(file, $0) } }

    /// The error for a simulation that ended early, at the message that is the reason.
    package func inputError(_ error: SimulationError) -> InputError {
        let range = error.message.flatMap { messagePlaces[$0] } ?? .wholeFile
        let rule = error.isAboutFixtures ? RuleID.renderError : .scenarioLimit
        return InputError(.invalid, [Diagnostic(rule, error.description, at: SourcePlace(file, range))])
    }
}
