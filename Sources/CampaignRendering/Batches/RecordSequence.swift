// SPDX-License-Identifier: MIT

import DiagnosticSources

extension CampaignRenderer {
    /// Renders profiles from a sequence of bytes.
    ///
    /// Each line with one JSON object gives one record, in the order of the lines.
    ///
    /// ```swift
    /// let file = try FileHandle(forReadingFrom: URL(filePath: "users.ndjson"))
    /// for try await record in renderer.records(of: ByteChunks(file.bytes)) {
    ///     if case .failed(let error) = record.outcome { print(record.line ?? 0, error.message) }
    /// }
    /// ```
    ///
    /// Nothing is read until a record is requested, and then only as much as the next records need, so a slow consumer
    /// slows down the source. The memory does not grow with the input. Lines of only spaces, tabs and carriage returns
    /// give no record. A line that is not a profile, or has more than 16 MiB, gives a failed record.
    ///
    /// - Parameters:
    ///   - source: pieces of UTF-8 of any length, split at any byte; see ``ByteChunks`` for single bytes.
    ///   - settings: the apps, the shard, the number of profiles that are rendered at once, and so on.
    ///   - file: the ``Record/file`` of the records, which distinguishes several sources; nil to give them none.
    ///   - name: the name of the source in messages; nil to use `file`.
    /// - Returns: the records. Iteration throws the errors of the source, and `CancellationError` once its task is
    ///   cancelled, after it has returned the earlier records.
    public func records<Source: AsyncSequence>(
        of source: Source,
        settings: BatchSettings = BatchSettings(),
        file: String? = nil,
        name: String? = nil
    ) -> RecordSequence<Source> where Source.Element: Collection<UInt8> {
        RecordSequence(
            source: source,
            renderer: self,
            settings: settings,
            name: name ?? file ?? "<profiles>",
            file: file
        )
    }
}

/// The records of profiles that come from a source; see ``CampaignRenderer/records(of:settings:file:name:)``.
public struct RecordSequence<Source: AsyncSequence>: AsyncSequence where Source.Element: Collection<UInt8> {
    let source: Source
    let renderer: CampaignRenderer
    let settings: BatchSettings
    let name: String
    let file: String?

    /// Begins the iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            source: source.makeAsyncIterator(),
            feed: RecordFeed(name: name, file: file),
            workers: (0..<Swift.max(1, settings.jobs)).map { _ in RecordWorker(renderer, settings) }
        )
    }

    /// Reads and renders, and returns one record after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: Source.AsyncIterator
        private let feed: RecordFeed
        private let workers: [RecordWorker]
        private var records: ArraySlice<Record> = []

        fileprivate init(source: Source.AsyncIterator, feed: RecordFeed, workers: [RecordWorker]) {
            self.source = source
            self.feed = feed
            self.workers = workers
        }

        /// The next record; nil at the end.
        public mutating func next() async throws -> Record? {
            while records.isEmpty {
                try Task.checkCancellation()
                if feed.cut() {
                    let next = await rendered()
                    // If the task was cancelled while it rendered, some records are missing.
                    try Task.checkCancellation()
                    records = next[...]
                } else if feed.isAtEnd {
                    return nil
                } else {
                    try await read()
                }
            }
            return records.popFirst()
        }

        private mutating func read() async throws {
            while let piece = try await source.next() {
                if feed.append(piece) { return }
            }
            feed.isAtEnd = true
        }

        private func rendered() async -> [Record] {
            let parts = feed.parts(workers.count)
            if parts.count == 1 { return workers[0].render(parts[0], of: feed) }
            let feed = feed
            return await withTaskGroup(of: (Int, [Record]).self) { group in
                for (index, part) in parts.enumerated() {
                    let worker = workers[index]
                    group.addTask { (index, worker.render(part, of: feed)) }
                }
                var results: [[Record]] = parts.map { _ in [] }
                for await (index, records) in group { results[index] = records }
                return results.flatMap(\.self)
            }
        }
    }
}

/// The lines that were read but not rendered yet.
///
/// The conformance is unchecked: only one task reads, and nothing changes the block while other tasks render it.
private final class RecordFeed: @unchecked Sendable {
    private var lines: LineReader
    private var block = LineBlock()
    private var pending: [UInt8] = []
    private var pendingStart = 0
    var isAtEnd = false

    /// The number of bytes that are collected, unless a line ends earlier, before they are copied to the block.
    private static let gatherCount = 1 << 20

    /// The fewest bytes for which one more task pays off.
    private static let partCount = 1 << 15

    init(name: String, file: String?) { lines = LineReader(path: name, file: file) }

    /// Adds a piece; returns true if a line ends in it, or enough bytes are collected.
    func append(_ piece: some Collection<UInt8>) -> Bool {
        if pendingStart == pending.count {
            pending.removeAll(keepingCapacity: true)
            pendingStart = 0
        }
        pending.append(contentsOf: piece)
        return pending.count - pendingStart > Self.gatherCount || piece.contains(UInt8(ascii: "\n"))
    }

    /// Fills the next block; returns false if more bytes have to be read first.
    func cut() -> Bool {
        lines.fill(&block) { room in
            let piece = pending[pendingStart...].prefix(room.count)
            if piece.isEmpty { return isAtEnd ? 0 : nil }
            room.copyBytes(from: piece)
            pendingStart += piece.count
            return piece.count
        }
    }

    /// The block in parts of about the same size.
    func parts(_ count: Int) -> [Range<Int>] {
        block.parts(min(count, max(1, block.count / Self.partCount)))
    }

    func records(of lines: Range<Int>, _ session: inout BatchSession) -> [Record] {
        var list = RecordList()
        var none = 0
        session.render(block, lines, skipping: &none, into: &list, until: { Task.isCancelled })
        return list.records
    }
}

/// A session that one task at a time uses.
///
/// The conformance is unchecked: a worker is given to the next task only after the last one has ended.
private final class RecordWorker: @unchecked Sendable {
    private var session: BatchSession

    init(_ renderer: CampaignRenderer, _ settings: BatchSettings) { session = BatchSession(renderer, settings) }

    func render(_ lines: Range<Int>, of feed: RecordFeed) -> [Record] {
        feed.records(of: lines, &session)
    }
}
