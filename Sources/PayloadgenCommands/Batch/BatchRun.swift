// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit
import PayloadLinting

/// The files of a batch: reads the lines of its sources, and writes their records.
///
/// The conformance is unchecked: the scheduler reads for one worker at a time and writes for one worker at a time, and
/// no member is used for both.
final class BatchRun: BatchPort, @unchecked Sendable {
    private var input: BatchInput
    private var writer: RecordWriter
    private let progress: BatchProgress?
    private let profileFindings: ProfileFindings
    private let warn: (Diagnostic) -> Void
    /// Whether all profiles are rendered even if nobody reads the records, because reports about them are wanted.
    private let needsAll: Bool
    /// The records that an earlier run has written, which are skipped or compared; nil for none.
    private let kept: KeptRecords?
    /// Whether the reader of the records has closed the pipe, so that no more records are written.
    private var isUnread = false
    /// The findings in the first profiles of the inputs.
    private var findings: [Diagnostic] = []
    /// The counts of the profiles so far that were not skipped.
    private(set) var report = BatchReport()
    /// The finding that the field for ids gives no id in the first block; nil if it gives one.
    private(set) var missingIDs: Diagnostic?

    /// The paths of the inputs that contain no profile.
    var emptyInputs: [String] { input.emptyPaths }

    /// The indices of the sources that contain a profile.
    var filledSources: Set<Int> { input.filledSources }

    /// The number of lines that were read.
    var lineCount: Int { input.lineCount }

    /// Prepares the files.
    ///
    /// - Parameters:
    ///   - sources: the profiles.
    ///   - writer: writes the records.
    ///   - kept: the records that an earlier run has written; nil for none.
    ///   - progress: shows the progress; nil for none.
    ///   - profileFindings: finds faults in profiles, such as fields that are not read.
    ///   - needsAll: whether all profiles are rendered even if nobody reads the records.
    ///   - warn: shows a finding that concerns all profiles of the first block.
    init(
        _ sources: [ProfileSource],
        to writer: RecordWriter,
        after kept: KeptRecords?,
        _ progress: BatchProgress?,
        _ profileFindings: ProfileFindings,
        needsAll: Bool,
        warn: @escaping (Diagnostic) -> Void
    ) {
        input = BatchInput(sources)
        self.writer = writer
        self.kept = kept
        self.progress = progress
        self.profileFindings = profileFindings
        self.needsAll = needsAll
        self.warn = warn
    }

    /// Renders the whole input.
    ///
    /// - Returns: the counts of the profiles that were not skipped.
    /// - Throws: the first failure of input or output; all records before it were written.
    func run(_ scheduler: BatchScheduler<BatchRun>) throws(CommandFailure) -> BatchReport {
        defer { progress?.clear() }
        try scheduler.run(skipping: kept.map { $0.areRenderedAgain ? 0 : $0.count } ?? 0)
        if let kept, !kept.areAllCompared {
            throw CommandFailure(
                .unreadableInput,
                "the partial output has more records than the input has users: start again without --resume")
        }
        report.note(inputs: findings)
        return report
    }

    func read(_ block: inout LineBlock) throws(CommandFailure) -> Bool {
        let isFilled = try input.fill(&block)
        progress?.note(bytes: input.readCount)
        return isFilled
    }

    /// Checks the fields of the first profiles of an input; most of its other profiles have the same fields.
    ///
    /// Only the first 50 inputs are checked, as a folder may have a file for each profile.
    func findings(in block: borrowing LineBlock, _ session: inout BatchSession) -> [Diagnostic] {
        guard block.firstLine == 1, block.inputNumber <= 50 else { return [] }
        return profileFindings.about(linesOf: block.firstLines(20)) { session.unreadValues(in: $0) }
    }

    func take(_ records: borrowing BlockRecords) throws(CommandFailure) {
        if let finding = records.missingIDs {
            warn(finding)
            missingIDs = finding
        }
        for record in records.skipped { try kept?.check(record, records.path) }
        findings += records.findings
        do throws(CommandFailure) { try write(records.json.buffer) } catch {
            guard error.isClosedPipe else { throw error }
            guard needsAll else {
                report.add(records.report)
                throw error
            }
            isUnread = true
        }
        report.add(records.report)
        progress?.show(profiles: report.profiles)
        // Lines of the block are missing, so nothing may be written after it.
        if !records.isWhole { throw .interrupted }
    }

    /// Writes lines that the output does not contain yet; does nothing once the reader has closed the pipe.
    private func write(_ lines: borrowing ByteBuffer) throws(CommandFailure) {
        if isUnread { return }
        let start = if let kept, kept.areRenderedAgain { try kept.compare(lines) } else { 0 }
        try writer.write(lines, from: start)
    }
}
