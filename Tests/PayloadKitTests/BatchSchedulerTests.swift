// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit
import Synchronization
import Testing

@testable import CampaignRendering

@Suite struct BatchSchedulerTests {
    private enum Failure: Error, Equatable {
        case input
        case output
    }

    /// Gives blocks of one line each, and keeps the records that it takes.
    private final class Lines: BatchPort {
        struct State: Sendable {
            var readCount = 0
            var taken: [String] = []
            var skipped: [Int] = []
            /// The records that wait for an earlier block, at most.
            var mostAhead = 0
        }

        let state = Mutex(State())
        let count: Int
        let failsToRead: Bool
        /// The number of blocks after which the output fails; nil for never.
        let takenLimit: Int?

        init(_ count: Int, failsToRead: Bool = false, takenLimit: Int? = nil) {
            self.count = count
            self.failsToRead = failsToRead
            self.takenLimit = takenLimit
        }

        func read(_ block: inout LineBlock) throws(Failure) -> Bool {
            let number = state.withLock { state in
                state.readCount += 1
                state.mostAhead = max(state.mostAhead, state.readCount - state.taken.count)
                return state.readCount
            }
            guard number <= count else {
                if failsToRead { throw .input }
                return false
            }
            // Every seventh message takes much longer.
            var rest = Array(
                #"{"external_id":"\#(number)","custom_attributes":{"n":\#(number % 7 == 0 ? 3_000 : 1)}}"#.utf8)[...]
            var reader = LineReader(path: "users", firstLine: number)
            return reader.fill(&block) { room in
                let piece = rest.prefix(room.count)
                room.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
        }

        func findings(in block: borrowing LineBlock, _ session: inout BatchSession) -> [Diagnostic] { [] }

        func take(_ records: borrowing BlockRecords) throws(Failure) {
            let text = records.json.buffer.string()
            let skipped = records.skipped.map(\.line)
            let isFull = state.withLock { state in
                if let takenLimit, state.taken.count + state.skipped.count == takenLimit { return true }
                if !text.isEmpty { state.taken.append(text) }
                state.skipped += skipped
                return false
            }
            if isFull { throw .output }
        }
    }

    private static func run(_ lines: Lines, jobs: Int, skipping count: Int = 0) throws -> Failure? {
        let body = "{% for i in (1..custom_attribute.${n}) %}{% endfor %}{{ custom_attribute.${n} }}"
        let renderer = try Messages.campaign("version: 1\npush:\n  title: t\n  body: \"\(body)\"\n")
            .renderer(options: RenderOptions(now: Time(seconds: 0)))
        var settings = BatchSettings()
        settings.jobs = jobs
        let scheduler = BatchScheduler(renderer, settings, lines) { false }
        do throws(Failure) {
            try scheduler.run(skipping: count)
            return nil
        } catch {
            return error
        }
    }

    /// The lines of the records that were taken.
    private static func taken(_ lines: Lines) -> [Int] {
        lines.state.withLock(\.taken).compactMap { text in
            text.split(separator: "\"line\":").last.flatMap { Int($0.prefix { $0 != "," }) }
        }
    }

    @Test(arguments: [1, 2, 4]) func `records are in the order of the input, and few wait`(jobs: Int) throws {
        let lines = Lines(200)
        #expect(try Self.run(lines, jobs: jobs) == nil)
        #expect(Self.taken(lines) == Array(1...200))
        // Each worker has one block more than those that wait.
        #expect(lines.state.withLock(\.mostAhead) <= 4 * jobs + jobs + 2)
    }

    @Test(arguments: [1, 4]) func `a failure of the input ends the batch after the records before it`(jobs: Int) throws
    {
        let lines = Lines(50, failsToRead: true)
        #expect(try Self.run(lines, jobs: jobs) == .input)
        #expect(Self.taken(lines) == Array(1...50))
    }

    @Test(arguments: [1, 4]) func `a failure of the output ends the batch`(jobs: Int) throws {
        let lines = Lines(10_000, takenLimit: 20)
        #expect(try Self.run(lines, jobs: jobs) == .output)
        #expect(Self.taken(lines) == Array(1...20))
        #expect(lines.state.withLock(\.readCount) < 100)
    }

    @Test(arguments: [1, 4]) func `records that are skipped come first, and are not rendered`(jobs: Int) throws {
        let lines = Lines(40)
        #expect(try Self.run(lines, jobs: jobs, skipping: 10) == nil)
        #expect(lines.state.withLock(\.skipped) == Array(1...10))
        #expect(Self.taken(lines) == Array(11...40))
        let few = Lines(5)
        #expect(try Self.run(few, jobs: jobs, skipping: 10) == nil)
        #expect(few.state.withLock(\.skipped) == Array(1...5))
        #expect(Self.taken(few).isEmpty)
    }
}
