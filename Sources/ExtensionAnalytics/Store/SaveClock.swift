// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles

/// Gives the times with which file names start: the time of the system's clock, but always later than the one before.
///
/// All processes of a device read the same clock, so their files sort in the order of saving. If the clock was set
/// back, the first time is after the latest one in the folder.
final class SaveClock: Sendable {
    private let last = Locked<UInt64?>(nil)

    /// The next time, in nanoseconds since 1970, which is later than all before it.
    ///
    /// `newest` returns the latest time in the folder, and is called only for the first time.
    func next<Failure: Error>(after newest: () throws(Failure) -> UInt64) throws(Failure) -> UInt64 {
        try last.withLock { last throws(Failure) in
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let reading = UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
            let floor = if let last { last } else { try newest() }
            // If a file has the largest possible time, no later one exists; records then have the same time and sort by
            // their ids.
            let instant = max(reading, floor == .max ? floor : floor + 1)
            last = instant
            return instant
        }
    }
}
