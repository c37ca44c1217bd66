// SPDX-License-Identifier: MIT

public import LiquidTemplates
import PlatformLibc

/// Measures the processor time of the calling thread.
///
/// A message is rendered by one thread, so the time of other programs and other messages does not count.
public struct ProcessorStopwatch: Stopwatch {
    /// Creates a stopwatch.
    public init() {}

    /// The nanoseconds that the thread has used.
    public func nanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}
