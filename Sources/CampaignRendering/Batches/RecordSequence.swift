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
        let feed = RecordFeed(name: name, file: file)
        return Iterator(
            source: source.makeAsyncIterator(),
            feed: feed,
            scheduler: BatchScheduler(renderer, settings, feed, keepsValues: true) { Task.isCancelled },
            jobs: settings.jobs
        )
    }

    /// Reads and renders, and returns one record after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: Source.AsyncIterator
        private let feed: RecordFeed
        private let scheduler: BatchScheduler<RecordFeed>
        private let jobs: Int
        private var records: ArraySlice<Record> = []

        fileprivate init(
            source: Source.AsyncIterator,
            feed: RecordFeed,
            scheduler: BatchScheduler<RecordFeed>,
            jobs: Int
        ) {
            self.source = source
            self.feed = feed
            self.scheduler = scheduler
            self.jobs = jobs
        }

        /// The next record; nil at the end.
        public mutating func next() async throws -> Record? {
            while records.isEmpty {
                try Task.checkCancellation()
                if feed.isDone { return nil }
                if feed.isEmpty { try await read() }
                await scheduler.run(workers: feed.begin(workers: jobs))
                // If the task was cancelled while it rendered, some records are missing.
                try Task.checkCancellation()
                records = feed.takeRecords()[...]
            }
            return records.popFirst()
        }

        private mutating func read() async throws {
            while let piece = try await source.next() {
                if feed.append(piece) { return }
            }
            feed.isAtEnd = true
        }
    }
}

/// The bytes that were read but not rendered yet, and the records that were rendered but not returned yet.
///
/// The conformance is unchecked: only one task reads and takes, and the scheduler calls each function for one worker at
/// a time.
private final class RecordFeed: BatchPort, @unchecked Sendable {
    private var lines: LineReader
    private var pending: [UInt8] = []
    private var pendingStart = 0
    private var records: [Record] = []
    /// The number of blocks that may still be read, and of bytes that each of them takes at once.
    private var round = (blocks: 0, bytes: 0)
    /// Whether the source has ended.
    var isAtEnd = false
    /// Whether all lines were read.
    private(set) var isDone = false

    /// How many bytes are collected before they are rendered, unless a line ends earlier.
    private static let gatherCount = 1 << 20

    /// The fewest bytes for which one more worker pays off.
    private static let partCount = 1 << 15

    init(name: String, file: String?) { lines = LineReader(path: name, file: file) }

    private var pendingCount: Int { pending.count - pendingStart }

    /// Whether more bytes have to be read before anything can be rendered.
    var isEmpty: Bool { pendingCount == 0 && !isAtEnd }

    /// Adds a piece; returns true if a line ends in it, or enough bytes are collected.
    func append(_ piece: some Collection<UInt8>) -> Bool {
        if pendingStart == pending.count {
            pending.removeAll(keepingCapacity: true)
            pendingStart = 0
        }
        pending.append(contentsOf: piece)
        return pendingCount > Self.gatherCount || piece.contains(UInt8(ascii: "\n"))
    }

    /// Lets each of up to `limit` workers read one block, and returns the number of workers that pay off.
    func begin(workers limit: Int) -> Int {
        let count = max(1, min(limit, pendingCount / Self.partCount))
        round = (count, (pendingCount + count - 1) / count)
        return count
    }

    func read(_ block: inout LineBlock) -> Bool {
        if round.blocks == 0 { return false }
        round.blocks -= 1
        let isFilled = lines.fill(&block) { room in
            let piece = pending[pendingStart...].prefix(min(room.count, round.bytes))
            if piece.isEmpty { return isAtEnd ? 0 : nil }
            room.copyBytes(from: piece)
            pendingStart += piece.count
            return piece.count
        }
        guard isFilled else {
            // The start of a line whose end is not available yet is kept; other workers would only copy it again.
            round.blocks = 0
            isDone = isAtEnd
            return false
        }
        return true
    }

    func findings(in block: borrowing LineBlock, _ session: inout BatchSession) -> [Diagnostic] { [] }

    func take(_ block: borrowing BlockRecords) { records += block.values }

    /// Returns the records, and removes them.
    func takeRecords() -> [Record] {
        defer { records = [] }
        return records
    }
}

/// Collects single bytes into pieces, for sources such as `FileHandle.AsyncBytes` or `URLSession.AsyncBytes`.
///
/// A piece ends at the first line break at which it has at least 64 KiB, or at the end of the bytes.
public struct ByteChunks<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    private let base: Base

    /// Creates the pieces of a sequence of bytes.
    public init(_ base: Base) { self.base = base }

    /// Begins the iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    /// The iterator of ``ByteChunks``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: Base.AsyncIterator

        private static var count: Int { 1 << 16 }

        /// The next piece; nil at the end.
        public mutating func next() async throws -> [UInt8]? {
            var piece: [UInt8] = []
            piece.reserveCapacity(Self.count + 4_096)
            while let byte = try await base.next() {
                piece.append(byte)
                if byte == UInt8(ascii: "\n"), piece.count >= Self.count { break }
            }
            return piece.isEmpty ? nil : piece
        }
    }
}
