// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles

/// Gives the instants that file names start with: the time of the system's clock, but always later than the instant
/// before.
///
/// All processes of a device read the same clock, so their files sort in the order of saving. If the clock was set
/// back, the first instant is after the latest one in the folder.
final class SaveClock: Sendable {
    private let last = Locked<UInt64?>(nil)

    /// The next instant, which is after the latest one in the folder; `newest` is called only for the first instant.
    func next<Failure: Error>(after newest: () throws(Failure) -> UInt64) throws(Failure) -> UInt64 {
        try last.withLock { last throws(Failure) in
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let reading = UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
            let floor = if let last { last } else { try newest() }
            // If a file's name has the largest possible instant, no later one exists; records then sort by their ids.
            let instant = max(reading, floor == .max ? floor : floor + 1)
            last = instant
            return instant
        }
    }
}
