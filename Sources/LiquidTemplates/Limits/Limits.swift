// SPDX-License-Identifier: MIT

/// The most that a rendering may print, compute and hold in memory.
///
/// A template that exceeds a limit ends with an error of the code `memory` (`stackLevel` for ``depth``) that names the
/// limit. The defaults end a hostile template after a second or two and some hundred megabytes, and are far beyond what
/// a message needs. If a limit is above ``Limit/range``, the renderer uses the largest value of the range. See
/// <doc:LimitsOfRendering> for what is charged.
///
/// All limits except ``seconds`` depend only on the input: the same template and data exceed or keep them on every
/// machine.
public struct Limits: Sendable, Equatable {
    /// Bytes of output; for a message, the output of all its fields together.
    public var outputBytes = 16 << 20

    /// Bytes of one text that a filter, a capture or a partial builds, and of the elements of one array.
    public var stringBytes = 16 << 20

    /// Bytes that variables, loops, captures and temporary values hold at the same time.
    public var liveBytes = 256 << 20

    /// Units of work: instructions, elements, and 16 bytes of text, each of which takes 10 to 50 nanoseconds; for a
    /// message, the work for all its fields together.
    public var work = 30_000_000

    /// Seconds measured by the input's stopwatch; for a message, the time for all its fields together; 0 for no such
    /// limit.
    ///
    /// Without ``RenderInput/stopwatch`` the limit has no effect.
    public var seconds = 30

    /// The number of levels to which partials and loops may be nested.
    public var depth = 100

    /// Limits of the reference implementation, for programs that compare with it.
    package var scores = ScoreLimits()

    /// The most errors in ``Renderer/errors`` if rendering continues after errors; later errors are dropped.
    public var keptErrors = 1000

    /// Creates the default limits.
    public init() {}

    /// The limits, each at most the largest value in its ``Limit/range``, so that their sums and products do not
    /// overflow.
    var capped: Limits {
        var limits = self
        for limit in Limit.allCases { limits[limit] = min(limits[limit], limit.range.upperBound) }
        return limits
    }

    /// The value of a limit.
    public subscript(limit: Limit) -> Int {
        get {
            switch limit {
            case .outputBytes: outputBytes
            case .stringBytes: stringBytes
            case .liveBytes: liveBytes
            case .work: work
            case .seconds: seconds
            case .depth: depth
            }
        }
        set {
            switch limit {
            case .outputBytes: outputBytes = newValue
            case .stringBytes: stringBytes = newValue
            case .liveBytes: liveBytes = newValue
            case .work: work = newValue
            case .seconds: seconds = newValue
            case .depth: depth = newValue
            }
        }
    }
}

/// A limit that users may set; the cases are the rows of the table of limits.
///
/// The raw value is the key of the limit under `limits` in `.payloadgen.yml`.
public enum Limit: String, Sendable, CaseIterable {
    case outputBytes = "output_bytes"
    case stringBytes = "string_bytes"
    case liveBytes = "live_bytes"
    case work
    case seconds
    case depth

    /// The option with which commands set the limit, such as `--max-work`.
    public var option: String { "--max-" + String(rawValue.map { $0 == "_" ? "-" : $0 }) }

    /// What the limit counts, in the plural.
    public var unit: String {
        switch self {
        case .outputBytes, .stringBytes, .liveBytes: "bytes"
        case .work: "units of work"
        case .seconds: "seconds of processor time"
        case .depth: "levels"
        }
    }

    /// What is charged against the limit, in one sentence.
    public var summary: String {
        switch self {
        case .outputBytes: "Bytes that a message may print, all its fields together."
        case .stringBytes: "Bytes of one text that a filter, a capture or a content block builds."
        case .liveBytes: "Bytes that variables, loops and captures may hold at the same time."
        case .work: "Work of a message: instructions, elements and 16 bytes of text; a unit is 10 to 50 nanoseconds."
        case .seconds: "Processor time of a message in seconds, should work take longer than usual; 0 for none."
        case .depth: "How deep content blocks and loops may nest."
        }
    }

    /// The values that the limit accepts.
    public var range: ClosedRange<Int> {
        switch self {
        case .outputBytes, .stringBytes, .liveBytes: 1...(1 << 40)
        case .work: 1...(1 << 60)
        case .seconds: 0...1_000_000
        // Deeper nesting would need more stack than a thread has.
        case .depth: 1...200
        }
    }

    /// ``range`` in words, for messages.
    public var rangeText: String { "a number from \(range.lowerBound) to \(range.upperBound)" }

    /// The error for a rendering that exceeds the limit.
    func error(at value: Int) -> LiquidError {
        LiquidError(
            .memory,
            "the rendering passes the limit of \(value) \(unit) (\(option))",
            referenceText: "Memory limits exceeded"
        )
    }
}

/// Measures the time of a rendering, for ``Limits/seconds``.
///
/// The engine does not read a clock. With a stopwatch that measures the processor time of the current thread, the limit
/// does not depend on what else the machine does.
public protocol Stopwatch: Sendable {
    /// Nanoseconds since a moment that stays the same for each thread.
    func nanoseconds() -> Int
}
