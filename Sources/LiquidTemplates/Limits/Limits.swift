// SPDX-License-Identifier: MIT

/// The most that a rendering may produce, compute and hold in memory.
///
/// A template that passes a limit ends with an error of the code `memory` (`stackLevel` for ``depth``) that names the
/// limit. The defaults end a hostile template after a second or two and some hundred megabytes, and are far beyond what
/// a message needs. A renderer takes a limit above ``Limit/range`` as the largest value of that range. See
/// <doc:LimitsOfRendering> for what is charged.
///
/// All but ``seconds`` depend only on the input: the same template and data pass or keep them on every machine.
public struct Limits: Sendable, Equatable {
    /// Bytes of output; for a message, of all its fields together.
    public var outputBytes = 16 << 20

    /// Bytes of one text that a filter, a capture or a partial builds, and of one array by its elements' size.
    public var stringBytes = 16 << 20

    /// Bytes that variables, loops, captures and values in progress hold at the same time.
    public var liveBytes = 256 << 20

    /// Units of work: instructions, elements, and 16 bytes of text, each 10 to 50 nanoseconds; for a message, of all
    /// its fields together.
    public var work = 30_000_000

    /// Seconds by the stopwatch of the input; for a message, of all its fields together; 0 for no such limit.
    ///
    /// Without ``RenderInput/stopwatch`` the limit has no effect.
    public var seconds = 30

    /// How deep partials and loops may nest.
    public var depth = 100

    /// Limits of the reference, for the programs that compare with it.
    package var scores = ScoreLimits()

    /// The most errors that ``Renderer/errors`` keeps if rendering continues after errors; later ones are dropped.
    public var keptErrors = 1000

    /// Creates the default limits.
    public init() {}

    /// The limits, each at most the largest that ``Limit/range`` accepts: sums and products of these do not overflow.
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

/// A limit that users may set: a row of the table of limits.
///
/// The raw value is the key of the limit under `limits` in `.payloadgen.yml`.
public enum Limit: String, Sendable, CaseIterable {
    case outputBytes = "output_bytes"
    case stringBytes = "string_bytes"
    case liveBytes = "live_bytes"
    case work
    case seconds
    case depth

    /// The option by which commands set the limit, such as `--max-work`.
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
        // Deeper nesting needs more stack than a thread has.
        case .depth: 1...200
        }
    }

    /// ``range`` in words, for messages.
    public var rangeText: String { "a number from \(range.lowerBound) to \(range.upperBound)" }

    /// The error of a rendering that passes the limit.
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
/// The engine does not read a clock. A stopwatch that counts the processor time of the current thread makes the limit
/// independent of what else the machine does.
public protocol Stopwatch: Sendable {
    /// Nanoseconds since a moment that is fixed for each thread.
    func nanoseconds() -> Int
}
