// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles

/// Gives the instants that file names start with: the time of the system's clock, but never the same or an earlier one.
///
/// All processes of a machine read the same clock, so their files sort as they were saved. If the clock was set back,
/// the first instant is after the newest in the folder.
final class SaveClock: Sendable {
    private let last = Locked<UInt64?>(nil)

    /// The next instant, which is after the newest in the folder; `newest` is called once.
    func next<Failure: Error>(after newest: () throws(Failure) -> UInt64) throws(Failure) -> UInt64 {
        try last.withLock { last throws(Failure) in
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let reading = UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
            let floor = if let last { last } else { try newest() }
            // If a file's name has the largest possible instant, there is no later one: records then sort by their ids.
            let instant = max(reading, floor == .max ? floor : floor + 1)
            last = instant
            return instant
        }
    }
}
